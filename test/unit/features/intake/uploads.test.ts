import { describe, expect, it } from "vitest";
import type { BlobDriver } from "../../../../src/drivers/blob/types.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { StoreDownError } from "../../../../src/drivers/storage/types.ts";
import type { ApiError } from "../../../../src/index.ts";
import { type FileHarness, fileHarness, formData, json } from "../../../_support/blobs.ts";
import { polyglots, refused } from "../../../_support/samples.ts";

const KB = 1024;
const plans = {
  small: { max_file_size: 10 * KB, max_total_file_size: 25 * KB, max_files: 3 },
  none: { files: false },
  open: { max_file_size: null, max_total_file_size: null, max_files: null },
};
const text = (length: number) => "x".repeat(length);
const settings = { plans, defaultPlan: "small" };

async function formOf(b: FileHarness, plan = "small", more: object = {}): Promise<string> {
  const team = await b.teams.create({ name: "T", plan });
  return (await b.forms.create({ name: "A", ...more }, { team_id: team.id })).id;
}

async function only(b: FileHarness, id: string) {
  const { data } = await b.submissions.list(id, { status: "all" });
  expect(data).toHaveLength(1);
  return data[0] as (typeof data)[number];
}

describe("a file on the public endpoint", () => {
  it("is stored with the submission, and served as it was sent", async () => {
    const b = fileHarness();
    const { id } = await b.forms.create({ name: "A" });
    const content = "a,b\r\n1,2\r\n";
    const answer = await b.post(
      id,
      formData([
        ["name", "Ann"],
        ["cv", ["Größe 1.csv", content, "text/csv"]],
        ["more", "x"],
      ]),
      json,
    );
    expect(answer.json).toMatchObject({ code: 200, status: "success" });
    const { fields, attachments } = await only(b, id);
    expect(fields).toEqual([
      { key: "name", value: "Ann" },
      { key: "more", value: "x" },
    ]);
    expect(attachments).toEqual([
      { key: "cv", mime_type: "text/csv", url: expect.stringContaining(`${b.baseUrl}/files/file_`) },
    ]);
    const link = attachments[0]?.url as string;
    expect(new URL(link).pathname).toMatch(/\/Gr%C3%B6%C3%9Fe%201\.csv$/);
    expect(await (await b.fetch(new Request(link))).text()).toBe(content);
    expect(b.blobs()).toHaveLength(1);
    expect((await b.call("GET", `/v1/forms/${id}/submissions/${answer.json.submission_id}`)).json.attachments).toEqual(
      attachments,
    );
  });

  it("alone is not an empty submission; an empty file input alone is", async () => {
    const b = fileHarness();
    const { id } = await b.forms.create({ name: "A" });
    expect((await b.post(id, formData([["cv", ["a.txt", "x"]]]), json)).status).toBe(200);
    expect((await b.post(id, formData([["cv", ["", ""]]]), json)).json.error.code).toBe("empty_submission");
    expect((await b.post(id, formData([["cv", ["empty.txt", ""]]]), json)).json.error.code).toBe("empty_submission");
    expect(b.blobs()).toHaveLength(1);
  });

  it("satisfies `required`, and an empty file input does not", async () => {
    const b = fileHarness();
    const validation = { rules: [{ field: "cv", checks: [{ type: "required" as const }] }] };
    const { id } = await b.forms.create({ name: "A", validation });
    const missing = await b.post(
      id,
      formData([
        ["a", "1"],
        ["cv", ["", ""]],
      ]),
      json,
    );
    expect([missing.status, missing.json.errors]).toEqual([
      422,
      { cv: { message: "The cv field is required.", rule: "required" } },
    ]);
    expect(
      (
        await b.post(
          id,
          formData([
            ["a", "1"],
            ["cv", ["a.txt", "x"]],
          ]),
          json,
        )
      ).status,
    ).toBe(200);
  });

  it("keeps its place and name among several, also under one field and under hostile names", async () => {
    const b = fileHarness();
    const { id } = await b.forms.create({ name: "A" });
    const names = [
      "b.txt",
      "a.txt",
      "../../../etc/passwd",
      "x\r\nSet-Cookie: a=b.txt",
      '"; filename="evil.txt',
      "a/b\\c.txt",
      "\u202egol.txt",
    ];
    await b.post(id, formData(names.map((name, i) => [i < 2 ? "docs[]" : `__proto__`, [name, `content ${i}`]])), json);
    const { attachments } = await only(b, id);
    expect(attachments.map(({ key }) => key)).toEqual(["docs[]", "docs[]", ...Array(5).fill("__proto__")]);
    const served = await Promise.all(attachments.map(({ url }) => b.fetch(new Request(url))));
    expect(await Promise.all(served.map((response) => response.text()))).toEqual(names.map((_, i) => `content ${i}`));
    expect(attachments.map(({ url }) => decodeURIComponent(new URL(url).pathname.split("/").at(-1) as string))).toEqual(
      ["b.txt", "a.txt", "passwd", "xSet-Cookie_ a=b.txt", "_; filename=_evil.txt", "c.txt", "gol.txt"],
    );
    expect(Object.prototype).not.toHaveProperty("url");
  });
});

describe("the plan's limits", () => {
  it.each([
    ["one file at its limit", [10 * KB], 200, ""],
    ["one file one byte past it", [10 * KB + 1], 413, "payload_too_large"],
    ["files at the limit of all", [10 * KB, 10 * KB, 5 * KB], 200, ""],
    ["files one byte past it", [10 * KB, 10 * KB, 5 * KB + 1], 413, "payload_too_large"],
    ["as many files as are taken", [1, 1, 1], 200, ""],
    ["one file more", [1, 1, 1, 1], 413, "too_many_files"],
    ["empty file inputs do not count", [1, 0, 0, 0, 1, 0, 1], 200, ""],
  ] as const)("%s", async (_, sizes, status, code) => {
    const b = fileHarness(settings);
    const id = await formOf(b);
    const answer = await b.post(
      id,
      formData(sizes.map((size, i) => [`f${i}`, [size === 0 ? "" : `${i}.txt`, text(size)]])),
      json,
    );
    expect([answer.status, answer.json.error?.code ?? ""]).toEqual([status, code]);
    expect(b.blobs()).toHaveLength(status === 200 ? sizes.filter((size) => size > 0).length : 0);
    if (status !== 200) {
      const at = `f${sizes.length - 1}`;
      expect([answer.json.error.param, answer.json.errors[at].rule]).toEqual([at, "file"]);
      expect(answer.json.errors[at].message).toContain(`“${at}”`);
    }
    expect((await b.forms.get(id)).submissions.all_time).toBe(status === 200 ? 1 : 0);
  });

  it("without files refuse them, but not an empty input", async () => {
    const b = fileHarness(settings);
    const id = await formOf(b, "none");
    const answer = await b.post(
      id,
      formData([
        ["a", "1"],
        ["cv", ["a.txt", "x"]],
      ]),
      json,
    );
    expect([answer.status, answer.json.error.code, answer.json.error.param]).toEqual([403, "plan_restricted", "cv"]);
    expect(
      (
        await b.post(
          id,
          formData([
            ["a", "1"],
            ["cv", ["", ""]],
          ]),
          json,
        )
      ).status,
    ).toBe(200);
    expect(b.blobs()).toEqual([]);
  });

  it("that are null do not limit", async () => {
    const b = fileHarness(settings);
    const id = await formOf(b, "open");
    const files = Array.from(
      { length: 60 },
      (_, i) => [`f${i}`, [`${i}.txt`, text(700 * KB)]] as [string, [string, string]],
    );
    expect((await b.post(id, formData(files), json)).status).toBe(200);
    expect(b.blobs()).toHaveLength(60);
  });
});

describe("a file of a type that is not taken", () => {
  it.each(refused)("%s is 415 at its field, and leaves nothing", async (_, name, bytes) => {
    const b = fileHarness();
    const { id } = await b.forms.create({ name: "A" });
    const answer = await b.post(
      id,
      formData([
        ["ok", ["a.txt", "fine"]],
        ["cv", [name, bytes, "image/png"]],
      ]),
      json,
    );
    expect([answer.status, answer.json.error.code, Object.keys(answer.json.errors)]).toEqual([
      415,
      "file_type_not_allowed",
      ["cv"],
    ]);
    expect([b.blobs(), (await b.forms.get(id)).submissions.all_time]).toEqual([[], 0]);
  });

  it.each(polyglots)("%s is served as the picture it is, where nothing runs", async (_, name, bytes, mime, stored) => {
    const b = fileHarness();
    const { id } = await b.forms.create({ name: "A" });
    expect((await b.post(id, formData([["cv", [name, bytes, "text/html"]]]), json)).status).toBe(200);
    const { headers, body } = await b.fetch(new Request((await only(b, id)).attachments[0]?.url as string));
    await body?.cancel();
    expect(headers.get("content-type")).toBe(mime);
    expect(headers.get("content-disposition")).toContain(`filename="${stored}"`);
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  });

  it("is what the option says", async () => {
    const b = fileHarness({ files: { allowedTypes: ["application/pdf", "IMAGE/*"] } });
    const { id } = await b.forms.create({ name: "A" });
    expect((await b.post(id, formData([["cv", ["a.txt", "x"]]]), json)).status).toBe(415);
    expect((await b.post(id, formData([["cv", ["a.pdf", "%PDF-1.4\n"]]]), json)).status).toBe(200);
    expect(() => fileHarness({ files: { allowedTypes: ["pdf"] } })).toThrow(
      "`files.allowedTypes.0`: must be a MIME type",
    );
  });
});

describe("a post that is not stored leaves no blob", () => {
  const file: [string, [string, string]] = ["cv", ["a.txt", "content"]];

  it.each([
    [
      "refused by validation",
      { validation: { rules: [{ field: "email", checks: [{ type: "required" as const }] }] } },
      [],
      422,
    ],
    ["refused by the captcha", { spam: { captcha: { secret_key: "altcha_0123456789abcdef" } } }, [], 422],
    ["with too many fields behind the file", {}, Array.from({ length: 501 }, () => ["a", "1"]), 413],
    ["with too long a value behind the file", {}, [["a", text(64 * KB + 1)]], 413],
    ["with a second file that is refused", {}, [["x", ["a.html", "<html>"]]], 415],
  ] as [string, object, [string, string][], number][])("%s", async (_, settings, more, status) => {
    const b = fileHarness();
    const { id } = await b.forms.create({ name: "A", ...settings });
    expect((await b.post(id, formData([["b", "1"], file, ...more]), json)).status).toBe(status);
    expect(b.blobs()).toEqual([]);
  });

  it("where the commit fails", async () => {
    const storage = memoryStorage();
    let down = false;
    const commit = storage.commit.bind(storage);
    const b = fileHarness({
      storage: Object.assign(storage, {
        commit: (writes: Parameters<typeof commit>[0]) =>
          down && writes.some(({ op }) => op === "add") ? Promise.reject(new Error("disk full")) : commit(writes),
      }),
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
    const { id } = await b.forms.create({ name: "A" });
    down = true;
    const answer = await b.post(id, formData([file]), json);
    expect([answer.status, answer.json.error.code, b.blobs()]).toEqual([503, "unavailable", []]);
  });

  it("but keeps it where nobody can say whether the commit happened, until the sweep knows", async () => {
    const storage = memoryStorage();
    let broken = false;
    const { commit, get } = { commit: storage.commit.bind(storage), get: storage.get.bind(storage) };
    const b = fileHarness({
      storage: Object.assign(storage, {
        // The commit happens, its answer is lost, and the store can't be reached for a moment.
        async commit(writes: Parameters<typeof commit>[0]) {
          await commit(writes);
          if (writes.some((write) => write.op === "put" && write.collection === "files")) {
            broken = true;
            throw new Error("connection reset");
          }
        },
        get: (...args: Parameters<typeof get>) =>
          broken ? Promise.reject(new Error("connection refused")) : get(...args),
      }),
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
    const { id } = await b.forms.create({ name: "A" });
    expect((await b.post(id, formData([file]), json)).status).toBe(503);
    broken = false;
    expect(b.blobs()).toHaveLength(1);
    await b.clock.advance(25 * 3600 * 1000);
    await b.sweep();
    const { attachments } = await only(b, id);
    expect(await (await b.fetch(new Request(attachments[0]?.url as string))).text()).toBe("content");
  });

  it("but keeps it where the commit comes after its answer was given up, as in a connection that broke", async () => {
    const storage = memoryStorage();
    const late: (() => Promise<void>)[] = [];
    const commit = storage.commit.bind(storage);
    const b = fileHarness({
      storage: Object.assign(storage, {
        async commit(writes: Parameters<typeof commit>[0]) {
          if (!writes.some((write) => write.op === "put" && write.collection === "files")) return commit(writes);
          late.push(() => commit(writes));
          throw new StoreDownError("no answer within 10 s");
        },
      }),
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
    const { id } = await b.forms.create({ name: "A" });
    expect((await b.post(id, formData([file]), json)).status).toBe(503);
    for (const arrive of late) await arrive();
    const { attachments } = await only(b, id);
    expect(await (await b.fetch(new Request(attachments[0]?.url as string))).text()).toBe("content");
  });

  it("where the same key was answered before, and tells another file by its content", async () => {
    const b = fileHarness();
    const { id } = await b.forms.create({ name: "A" });
    const keyed = { ...json, "idempotency-key": "k" };
    const first = await b.post(id, formData([file]), keyed);
    const again = await b.post(id, formData([file]), keyed);
    expect([again.status, again.json]).toEqual([200, first.json]);
    const other = await b.post(id, formData([["cv", ["a.txt", "Content"]]]), keyed);
    expect([other.status, other.json.error.code]).toEqual([422, "idempotency_mismatch"]);
    expect([b.blobs().length, (await b.forms.get(id)).submissions.all_time]).toEqual([1, 1]);
  });

  it("where the form stores nothing and delivers nothing", async () => {
    const b = fileHarness();
    const { id } = await b.forms.create({ name: "A", storage: { store_submissions: false } });
    expect((await b.post(id, formData([file]), json)).status).toBe(200);
    expect([b.blobs(), (await b.forms.get(id)).submissions.all_time]).toEqual([[], 1]);
  });

  it("where its process died before the commit, after a day", async () => {
    let scanning = (): void => {};
    const began = new Promise<void>((resolve) => (scanning = resolve));
    // A scan that never ends stands for a process that was killed while it ran.
    const scan = (): Promise<"ok"> => {
      scanning();
      return new Promise(() => {});
    };
    const b = fileHarness({ files: { scan } });
    const { id } = await b.forms.create({ name: "A" });
    void b.post(id, formData([file]), json);
    await began;
    await b.clock.advance(23 * 3600 * 1000);
    await b.sweep();
    expect(b.blobs()).toHaveLength(1);
    await b.clock.advance(2 * 3600 * 1000);
    await b.sweep();
    expect(b.blobs()).toEqual([]);
  });
});

describe("files leave with their submission", () => {
  it.each(["delete", "bulk", "sweep", "erase"] as const)("by %s", async (way) => {
    const b = fileHarness();
    const { id } = await b.forms.create({ name: "A", storage: { keep_for: "1_days" } });
    const { json: posted } = await b.post(
      id,
      formData([
        ["email", "a@example.com"],
        ["cv", ["a.txt", "x"]],
        ["b", ["b.txt", "y"]],
      ]),
      json,
    );
    const { url } = (await only(b, id)).attachments[0] as { url: string };
    expect(b.blobs()).toHaveLength(2);
    if (way === "delete") await b.submissions.delete(id, posted.submission_id);
    if (way === "bulk") await b.submissions.bulk(id, { action: "delete", ids: [posted.submission_id] });
    if (way === "erase") await b.call("POST", "/v1/data-subjects/erase", { body: { email: "a@example.com" } });
    if (way === "sweep") {
      await b.clock.advance(2 * 24 * 3600 * 1000);
      expect(await b.sweep()).toMatchObject({ submissions: 1, files: 2 });
    }
    expect([b.blobs(), (await b.fetch(new Request(url))).status]).toEqual([[], 404]);
  });

  it("that was kept only for its deliveries, once they have ended", async () => {
    const b = fileHarness();
    const { id } = await b.forms.create({ name: "A", storage: { store_submissions: false } });
    await b.webhooks.create(id, { url: "https://example.com/hook" });
    await b.post(id, formData([["cv", ["a.txt", "x"]]]), json);
    expect(b.blobs()).toHaveLength(1);
    await b.tick();
    expect(JSON.parse(b.webhookCalls[0]?.body as string).data.attachments).toHaveLength(1);
    expect(b.blobs()).toEqual([]);
  });
});

describe("the scan", () => {
  it("sees every file before anything is committed, and `infected` refuses the post at its field", async () => {
    const seen: unknown[] = [];
    const b = fileHarness({
      files: {
        async scan({ open, ...file }) {
          const content = await new Response(await open()).text();
          seen.push({ ...file, content });
          return content.includes("EICAR") ? "infected" : "ok";
        },
      },
    });
    const { id } = await b.forms.create({ name: "A" });
    expect((await b.post(id, formData([["cv", ["a.txt", "fine"]]]), json)).status).toBe(200);
    const answer = await b.post(
      id,
      formData([
        ["cv", ["a.txt", "fine"]],
        ["b", ["b.txt", "EICAR"]],
      ]),
      json,
    );
    expect([answer.status, answer.json.error.code, Object.keys(answer.json.errors)]).toEqual([
      415,
      "file_type_not_allowed",
      ["b"],
    ]);
    expect(seen[0]).toEqual({
      form_id: id,
      key: "cv",
      name: "a.txt",
      mime_type: "text/plain",
      size: 4,
      content: "fine",
    });
    expect([b.blobs().length, seen.length]).toEqual([1, 3]);
  });

  it("leaves no file open that it opened and did not read", async () => {
    const kept = new Map<string, Uint8Array>();
    let left = 0;
    const blob: BlobDriver = {
      name: "watched",
      async put(key, body) {
        const bytes = new Uint8Array(await new Response(body).arrayBuffer());
        kept.set(key, bytes);
        return { size: bytes.length };
      },
      async get(key) {
        const rest = [...(kept.get(key) ?? [])];
        return new ReadableStream({
          pull(controller) {
            const [byte] = rest.splice(0, 1);
            if (byte === undefined) controller.close();
            else controller.enqueue(Uint8Array.of(byte));
          },
          cancel: () => void left++,
        });
      },
      remove: async (key) => void kept.delete(key),
      close: async () => {},
    };
    const b = fileHarness({
      blob,
      files: {
        async scan({ open, name }): Promise<"ok"> {
          const stream = await open();
          if (name === "half.txt") {
            const reader = stream.getReader();
            await reader.read();
            reader.releaseLock();
          }
          if (name === "read.txt") await new Response(stream).text();
          return "ok";
        },
      },
    });
    const { id } = await b.forms.create({ name: "A" });
    const parts = formData(
      ["unread.txt", "half.txt", "read.txt"].map((name): [string, [string, string]] => ["cv", [name, "some text"]]),
    );
    expect((await b.post(id, parts, json)).status).toBe(200);
    expect(left).toBe(2);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("clamd is down"))],
    ["answers something else", () => undefined as never],
  ])("that %s lets nothing pass", async (_, scan) => {
    const errors: string[] = [];
    const b = fileHarness({
      files: { scan },
      logger: { debug() {}, info() {}, warn() {}, error: (line) => void errors.push(line) },
    });
    const { id } = await b.forms.create({ name: "A" });
    const answer = await b.post(id, formData([["cv", ["a.txt", "x"]]]), json);
    expect([answer.status, answer.json.error.code, b.blobs()]).toEqual([503, "unavailable", []]);
    expect(errors.join()).toContain("`files.scan`");
  });
});

describe("files in process", () => {
  it("are taken as bytes, stream and blob, under the same limits", async () => {
    const b = fileHarness(settings);
    const id = await formOf(b);
    const bytes = new TextEncoder().encode("a,b\n");
    const submission = await b.submit(id, {
      fields: {},
      files: [
        { key: "a", name: "a", content: bytes, mime_type: "text/csv" },
        { key: "b", name: "b.txt", content: new Blob(["two"]) },
        { key: "c", name: "c.txt", content: new Blob(["three"]).stream() },
      ],
    });
    expect(submission.attachments.map(({ key, mime_type }) => [key, mime_type])).toEqual([
      ["a", "text/csv"],
      ["b", "text/plain"],
      ["c", "text/plain"],
    ]);
    const contents = submission.attachments.map(async ({ url }) => (await b.fetch(new Request(url))).text());
    expect(await Promise.all(contents)).toEqual(["a,b\n", "two", "three"]);
    const wrong = (files: object[]) =>
      b.submit(id, { fields: {}, files: files as never }).catch((error: ApiError) => [error.code, error.param]);
    expect(await wrong([{ key: "a", name: "a.exe", content: Buffer.from("MZ\0\0") }])).toEqual([
      "file_type_not_allowed",
      "a",
    ]);
    expect(await wrong([{ key: "a", name: "a.txt", content: new Blob([text(10 * KB + 1)]) }])).toEqual([
      "payload_too_large",
      "a",
    ]);
    expect(await wrong([{ key: "a", name: "a.txt", content: "text" }])).toEqual([
      "invalid_parameter",
      "files.0.content",
    ]);
    expect(b.blobs()).toHaveLength(3);
  });

  it("leave nothing when their stream fails", async () => {
    const b = fileHarness();
    const { id } = await b.forms.create({ name: "A" });
    const content = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new Uint8Array(20_000).fill(97));
        if (++pulls > 3) controller.error(new Error("source broke"));
      },
    });
    let pulls = 0;
    await expect(b.submit(id, { fields: { a: "1" }, files: [{ key: "a", name: "a.txt", content }] })).rejects.toThrow(
      "source broke",
    );
    expect(b.blobs()).toEqual([]);
  });
});
