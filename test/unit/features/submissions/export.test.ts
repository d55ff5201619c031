import { describe, expect, it } from "vitest";
import { memoryStorage, type StorageDriver } from "../../../../src/index.ts";
import { fault, type Submitted, submitted } from "./_submissions.ts";

/** `json` only where the answer is one JSON text. */
async function exported(b: Submitted, query: string) {
  const response = await b.fetch(
    new Request(`${b.baseUrl}/v1/forms/${b.id}/submissions/export?${query}`, {
      headers: { authorization: `Bearer ${b.key}` },
    }),
  );
  const text = await response.text();
  const json = response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, text, json };
}

/** Long enough for a stream to read on, if it did so unasked. */
async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Reads CSV by RFC 4180, to the letter: CRLF ends a record, quotes are doubled. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  const row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const quoted = text[at] === '"';
    const match = (quoted ? /"((?:[^"]|"")*)"(,|\r\n)/y : /([^",\r\n]*)(,|\r\n)/y) as RegExp;
    match.lastIndex = at;
    const [whole, cell, end] = match.exec(text) ?? [];
    if (whole === undefined) throw new Error(`not CSV at ${at}: ${text.slice(at, at + 40)}`);
    row.push((cell as string).replaceAll('""', '"'));
    if (end === "\r\n") rows.push(row.splice(0));
    at += whole.length;
  }
  return rows;
}

describe("GET /v1/forms/{form_id}/submissions/export", () => {
  it("csv: BOM, CRLF, fixed columns, field names in order of first appearance, attachments", async () => {
    const b = await submitted();
    const old = await b.submitted({ message: 'say "hi", then\r\nleave', email: "ann@example.com" });
    const fresh = await b.submitted({ email: "bob@example.com", tag: ["x", "y"] }, { country: "DE" });
    const { status, headers, text } = await exported(b, "format=csv");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(headers.get("content-disposition")).toBe(`attachment; filename="submissions-${b.id}-2026-01-01.csv"`);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    const bytes = await new Response(await b.submissions.export(b.id, { format: "csv" })).arrayBuffer();
    expect([...new Uint8Array(bytes, 0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    // A Response's text() drops the BOM, as every decoder does.
    expect(parseCsv(text)).toEqual([
      ["id", "created_at", "spam", "read", "ip", "country", "user_agent", "referer"].concat(
        ["email", "tag", "message"],
        "attachments",
      ),
      [fresh, "2026-01-01T00:00:02.000Z", "false", "false", "203.0.113.9", "DE", "", ""].concat(
        ["bob@example.com", "x, y", ""],
        "",
      ),
      [old, "2026-01-01T00:00:01.000Z", "false", "false", "203.0.113.9", "", "", ""].concat(
        ["ann@example.com", "", 'say "hi", then\r\nleave'],
        "",
      ),
    ]);
  });

  it("csv: cells that begin with = + - @ tab or CR are prefixed with ', header cells too", async () => {
    const b = await submitted();
    const values = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "a=1", "'=1"];
    await b.submit(b.id, { fields: [...values.entries()].map(([i, value]) => ({ key: `f${i}`, value })) });
    await b.submit(b.id, { fields: { '=HYPERLINK("http://evil.example")': "1" } });
    const [header, , row] = parseCsv((await exported(b, "format=csv&order=desc")).text);
    expect(header?.[8]).toBe('\'=HYPERLINK("http://evil.example")');
    expect(row?.slice(9, 17)).toEqual(["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\tx", "'\rx", "a=1", "'=1"]);
  });

  it("csv: a form without submissions is a header alone", async () => {
    const b = await submitted();
    const { text } = await exported(b, "format=csv");
    expect(text).toBe("id,created_at,spam,read,ip,country,user_agent,referer,attachments\r\n");
  });

  it("csv is the default format", async () => {
    const b = await submitted();
    expect((await exported(b, "")).headers.get("content-type")).toContain("text/csv");
  });

  it("csv: refuses more names than a table can have columns, and ndjson takes them", async () => {
    const b = await submitted();
    for (let i = 0; i < 33; i++) {
      const fields = Array.from({ length: 500 }, (_, n) => ({ key: `n${i * 500 + n}`, value: "1" }));
      await b.submit(b.id, { fields });
    }
    expect(fault(await exported(b, "format=csv"))).toEqual([400, "invalid_parameter", "format"]);
    expect((await exported(b, "format=ndjson")).text.split("\n")).toHaveLength(34);
  });

  it("json: an array of Submission", async () => {
    const b = await submitted();
    expect((await exported(b, "format=json")).json).toEqual([]);
    for (let i = 0; i < 30; i++) await b.submitted({ n: String(i) });
    const { headers, json } = await exported(b, "format=json");
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(headers.get("content-disposition")).toContain(".json");
    expect(json).toEqual((await b.list("?limit=100")).json.data);
  });

  it("ndjson: one Submission a line", async () => {
    const b = await submitted();
    expect((await exported(b, "format=ndjson")).text).toBe("");
    await b.submitted({ n: "1\n2" });
    await b.submitted({ n: "3" });
    const { headers, text } = await exported(b, "format=ndjson");
    expect(headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    const lines = text.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual((await b.list()).json.data);
  });

  it("takes the filters and the order of the list, and no page", async () => {
    const b = await submitted();
    await b.submitted({ n: "1" });
    await b.submitted({ n: "2" });
    await b.submitted({ n: "3" }, { spam: true });
    const names = async (query: string) =>
      (await exported(b, `format=json&${query}`)).json.map(
        ({ fields }: { fields: { value: string }[] }) => fields[0]?.value,
      );
    expect(await names("")).toEqual(["2", "1"]);
    expect(await names("order=asc&status=all")).toEqual(["1", "2", "3"]);
    expect(await names("q=2")).toEqual(["2"]);
    expect(await names("field[n][in]=1,3")).toEqual(["1"]);
    for (const param of ["limit", "cursor", "group_by"]) {
      expect(fault(await exported(b, `format=json&${param}=1`))).toEqual([400, "invalid_parameter", param]);
    }
  });

  for (const format of ["xlsx", "CSV", ""]) {
    it(`400 invalid_parameter on format: "${format}"`, async () => {
      expect(fault(await exported(await submitted(), `format=${format}`))).toEqual([
        400,
        "invalid_parameter",
        "format",
      ]);
    });
  }

  it("HEAD answers the headers alone", async () => {
    const b = await submitted();
    await b.submitted({ n: "1" });
    const { status, headers, text } = await b.call("HEAD", `/v1/forms/${b.id}/submissions/export?format=ndjson`);
    expect([status, text, headers.get("content-type")]).toEqual([200, "", "application/x-ndjson; charset=utf-8"]);
  });

  it("exports every row once while others come, pages of any weight", async () => {
    const b = await submitted();
    const big = "x".repeat(60_000);
    const expected: string[] = [];
    for (let i = 0; i < 60; i++) expected.push(await b.submitted({ n: String(i), ...(i % 7 === 0 && { big }) }));
    const reader = (await b.submissions.export(b.id, { order: "asc", format: "csv" })).getReader();
    const decoder = new TextDecoder();
    let text = "";
    const unheard: string[] = [];
    for (let i = 0; ; i++) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
      // One with a column of the header, and one that has none and so belongs to the next export.
      if (i < 5) unheard.push((await Promise.all([b.submitted({ unheard: "of" }), b.submitted({ n: "late" })]))[0]);
    }
    const rows = parseCsv(text).slice(1);
    const seen = rows.map(([id]) => id);
    expect(seen.slice(0, 60)).toEqual(expected);
    expect(new Set(seen).size).toBe(seen.length);
    expect(rows.filter((row) => row.includes("late")).length).toBeGreaterThan(0);
    expect([unheard.length > 0, unheard.filter((id) => seen.includes(id))]).toEqual([true, []]);
    expect(rows.every((row) => row.length === 11)).toBe(true);
  });

  it("reads the store only as fast as the stream is read", async () => {
    const memory = memoryStorage();
    let pages = 0;
    const storage: StorageDriver = {
      ...memory,
      page: (collection, query) => {
        if (collection === "submissions") pages++;
        return memory.page(collection, query);
      },
    };
    const b = await submitted({ storage });
    for (let i = 0; i < 200; i++) await b.submit(b.id, { fields: { text: "x".repeat(20_000) } });
    pages = 0;
    const reader = (await b.submissions.export(b.id, { format: "ndjson" })).getReader();
    let read = (await reader.read()).value?.length ?? 0;
    await turns();
    expect(pages).toBe(1);
    // A page is half a megabyte, and comes in several chunks.
    while (read < 600_000) {
      const { value } = await reader.read();
      expect(value?.length).toBeLessThan(100_000);
      read += value?.length ?? 0;
    }
    expect(pages).toBe(2);
    await reader.cancel();
    await turns();
    expect(pages).toBe(2);
  });

  it("a store that fails on the way errors the stream instead of ending it", async () => {
    const memory = memoryStorage();
    let failing = false;
    const storage: StorageDriver = {
      ...memory,
      page: (...args) => (failing ? Promise.reject(new Error("down")) : memory.page(...args)),
    };
    const b = await submitted({ storage });
    for (let i = 0; i < 50; i++) await b.submit(b.id, { fields: { n: "x".repeat(60_000) } });
    const reader = (await b.submissions.export(b.id, { format: "json" })).getReader();
    await reader.read();
    failing = true;
    const rest = async () => {
      while (!(await reader.read()).done);
    };
    await expect(rest()).rejects.toMatchObject({ code: "unavailable" });
  });

  it.each(["csv", "json", "ndjson"])(
    "%s: errors the stream once its key is revoked, and reads no further",
    async (format) => {
      const b = await submitted();
      for (let i = 0; i < 50; i++) await b.submit(b.id, { fields: { n: "x".repeat(60_000) } });
      const { id, key } = await b.keys.create({ name: "leaver", scopes: ["submissions:read"] });
      const { body } = await b.fetch(
        new Request(`${b.baseUrl}/v1/forms/${b.id}/submissions/export?format=${format}`, {
          headers: { authorization: `Bearer ${key}` },
        }),
      );
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      expect((await reader.read()).done).toBe(false);
      await b.keys.revoke(id);
      const rest = async () => {
        for (let bytes = 0; ; ) {
          const { done, value } = await reader.read();
          if (done) return "ended as if it were whole";
          bytes += value.length;
          expect(bytes).toBeLessThan(1_500_000);
        }
      };
      await expect(rest()).rejects.toMatchObject({ code: "invalid_key" });
    },
  );
});
