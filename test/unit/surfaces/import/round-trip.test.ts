import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/index.ts";
import { csvRows, jsonRows } from "../../../../src/surfaces/import/index.ts";
import { harness } from "../../../_support/backend.ts";

const values = [
  "plain",
  'say "hi"',
  "line\r\nbreak",
  "=1+1",
  "'=1",
  "-5",
  "\t=x",
  "a;=b",
  "a;'=b",
  'x\n"=y',
  "＝wide",
  "ü😀",
  "",
  " spaced ",
  "a, b",
];

/** A backend with a form whose submissions have all that is hard to write and read. */
async function filled() {
  const storage = memoryStorage();
  const b = harness({ storage, rateLimit: false });
  const { id } = await b.forms.create({ name: "A", spam: { protection: false } });
  for (const [n, value] of values.entries()) {
    await b.clock.advance(1_234);
    const fields = { email: `v${n}@example.com`, message: value, [`only;=${n}`]: value, id: "5", tag: ["a", "b"] };
    const { id: submission } = await b.submit(id, { fields, ip: "192.0.2.1", user_agent: '"UA", =1', referer: null });
    if (n % 3 === 0) await b.submissions.update(id, submission, { read: true });
    if (n % 4 === 0) await b.submissions.update(id, submission, { spam: true });
  }
  return { b, id };
}
const exported = async ({ b, id }: Awaited<ReturnType<typeof filled>>, format: "csv" | "json" | "ndjson") =>
  Buffer.from(await new Response(await b.submissions.export(id, { format, status: "all" })).arrayBuffer());

describe("our own export → import → export", () => {
  it.each(["csv", "json", "ndjson"] as const)("is equal byte by byte: %s", async (format) => {
    const made = await filled();
    const { b, id } = made;
    const file = await exported(made, format);
    const read = () => (format === "csv" ? csvRows(file) : jsonRows(file));
    // Everything is there: nothing to store.
    expect(await b.submissions.import(id, read(), { source: "backup" })).toEqual({
      imported: 0,
      skipped: values.length,
      failed: [],
    });
    const { data } = await b.submissions.list(id, { status: "all", limit: 100 });
    await b.submissions.bulk(id, { action: "delete", ids: data.map((one) => one.id) });
    expect(await b.submissions.import(id, read(), { source: "backup" })).toMatchObject({ imported: values.length });
    expect((await exported(made, format)).equals(file)).toBe(true);
  });

  it("csv: is equal in another backend as well", async () => {
    const file = await exported(await filled(), "csv");
    const b = harness();
    const { id } = await b.forms.create({ name: "B" });
    await b.submissions.import(id, csvRows(file, "form-backend"), { source: "old" });
    expect((await exported({ b, id }, "csv")).equals(file)).toBe(true);
  });
});

describe("jsonRows", () => {
  it("reports lines that are no submission, with their line", async () => {
    const rows = [];
    for await (const row of jsonRows('[{"id":"1","created_at":"2025-01-01","fields":[]},\n5,\nnot json,\n[]\n]\n'))
      rows.push(row);
    const unreadable = expect.stringContaining("no JSON object");
    expect(rows).toEqual([
      expect.objectContaining({ source_id: "1", line: 1 }),
      { unreadable, line: 2 },
      { unreadable, line: 3 },
    ]);
  });

  it("refuses a line of more than 16 MB, which a file without lines is", async () => {
    async function* endless() {
      for (;;) yield "x".repeat(65_536);
    }
    await expect(jsonRows(endless()).next()).rejects.toThrow("a line has more than 16777216 characters");
  });
});

it.each([" ", "]", ",", "\n", "[ "])("a value with a long run of %j takes no time", async (piece) => {
  const value = `a${piece.repeat(200_000)}b`;
  const line = JSON.stringify({ id: "1", created_at: "2025-01-31T09:30:00Z", fields: [{ key: "message", value }] });
  for (const text of [line, `[\n ${line},\n${line}\n]\n`]) {
    for await (const row of jsonRows(text)) expect(row).toMatchObject({ fields: [{ key: "message", value }] });
  }
});
