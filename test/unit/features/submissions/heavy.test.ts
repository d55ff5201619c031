import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it } from "vitest";
import { safeJson } from "../../../../src/drivers/storage/_postgres/table.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { memoryStorage, type StorageDriver } from "../../../../src/index.ts";
import { type Submitted, submitted } from "./_submissions.ts";

const HEAVY = 200_000;
const MOST = 2 * 512 * 1024;

/** A store that notes what each of its reads of submissions answers. */
function noted(store: StorageDriver) {
  const reads = { rows: 0, whole: 0, most: 0, times: 0 };
  const note = (rows: Iterable<{ value: object }>): void => {
    let weight = 0;
    for (const { value } of rows) {
      reads.rows++;
      if ("fields" in value) reads.whole++;
      weight += JSON.stringify(value).length;
    }
    reads.times++;
    reads.most = Math.max(reads.most, weight);
  };
  const storage: StorageDriver = {
    ...store,
    async page(collection, query) {
      const rows = await store.page(collection, query);
      if (collection === "submissions") note(rows);
      return rows;
    },
    async get(collection, ids) {
      const rows = await store.get(collection, ids);
      if (collection === "submissions") note(rows.values());
      return rows;
    },
  };
  return { storage, reads, forget: () => Object.assign(reads, { rows: 0, whole: 0, most: 0, times: 0 }) };
}

const stores: [string, () => StorageDriver][] = [
  ["memory", memoryStorage],
  ["SQLite", () => sqliteStorage({ database: new DatabaseSync(":memory:") as never })],
];

/** Stores submissions by hand, newest last. */
async function fill(b: Submitted, storage: StorageDriver, count: number, form_id = b.id, weight = HEAVY) {
  const at = Date.UTC(2026, 0, 1);
  for (let i = 0; i < count; i++) {
    const created_at = new Date(at + i * 1_000).toISOString();
    await storage.commit([
      {
        op: "put",
        collection: "submissions",
        id: `${form_id}-${String(i).padStart(5, "0")}`,
        value: {
          form_id,
          team_id: "default",
          created_at,
          updated_at: created_at,
          spam: false,
          read: false,
          ip: null,
          country: null,
          user_agent: null,
          referer: null,
          fields: [{ key: "text", value: "x".repeat(weight) }],
          attachments: [],
          attached: false,
          verdict: [],
          over_quota: false,
          subject: null,
          reply_to: null,
        },
      },
    ]);
  }
}

describe.each(stores)("heavy submissions in %s", (_name, open) => {
  it("a list of 100 is whole, and no read of the store holds more than a page", async () => {
    const { storage, reads, forget } = noted(open());
    const b = await submitted({ storage });
    await fill(b, storage, 110);
    for (const query of ["", "&q=xxx", "&order=asc"]) {
      forget();
      const { json, status, headers } = await b.list(`?limit=100${query}`);
      expect([status, json.data.length, json.has_more]).toEqual([200, 100, true]);
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(new Set(json.data.map(({ id }: { id: string }) => id)).size).toBe(100);
      expect(Object.keys(json)).toEqual(["data", "has_more", "next_cursor"]);
      expect(Object.keys(json.data[0])).not.toContain("verdict");
      const rest = (await b.list(`?limit=100${query}&cursor=${json.next_cursor}`)).json;
      expect([rest.data.length, rest.has_more, rest.next_cursor]).toEqual([10, false, null]);
      expect(reads.most).toBeLessThan(MOST);
    }
  });

  it("an answer that nobody reads on reads nothing on, and 8 of them leave no place for a ninth", async () => {
    const { storage, reads, forget } = noted(open());
    const b = await submitted({ storage });
    await fill(b, storage, 60);
    const start = () =>
      b.fetch(
        new Request(`${b.baseUrl}/v1/forms/${b.id}/submissions?limit=100`, {
          headers: { authorization: `Bearer ${b.key}` },
        }),
      );
    forget();
    const opened: Response[] = [];
    for (let i = 0; i < 8; i++) opened.push(await start());
    expect(reads.rows).toBeLessThan(8 * 60 * 0.2);
    expect((await start()).status).toBe(429);
    await opened[0]?.body?.cancel();
    const next = await start();
    expect(((await next.json()) as { data: unknown[] }).data).toHaveLength(60);
    await Promise.all(opened.slice(1).map(({ body }) => body?.cancel()));
  });

  it("fields, erasure, a person's export and the sweep read them a page at a time", async () => {
    const { storage, reads, forget } = noted(open());
    const b = await submitted({ storage });
    await b.forms.update(b.id, { storage: { keep_for: "30_days" } });
    await fill(b, storage, 60);
    forget();
    expect((await b.call("GET", `/v1/forms/${b.id}/fields`)).json.submissions_read).toBe(60);
    const body = { email: "ann@example.com" };
    expect((await b.call("POST", "/v1/data-subjects/export", { body })).json).toEqual({ data: [] });
    expect((await b.call("POST", "/v1/data-subjects/erase", { body })).json.erased.submissions).toBe(0);
    await b.clock.advance(60 * 24 * 3_600_000);
    expect((await b.sweep()).submissions).toBe(60);
    expect(reads.times).toBeGreaterThan(60);
    expect(reads.most).toBeLessThan(MOST);
  });

  it("a list over 60 forms reads the columns of few rows more than it answers, and no other row whole", async () => {
    const { storage, reads, forget } = noted(open());
    const b = await submitted({ storage });
    const ids: string[] = [b.id];
    for (let i = 1; i < 60; i++) ids.push((await b.forms.create({ name: `F${i}` })).id);
    for (const id of ids) await fill(b, storage, 8, id, 2_000);
    // One of them has most of the newest.
    await fill(b, storage, 130, ids[7], 2_000);
    const key = await b.keyWith("all", { form_ids: ids });
    forget();
    const { json } = await b.call("GET", "/v1/submissions?limit=100", { key });
    expect(json.data).toHaveLength(100);
    expect(json.has_more).toBe(true);
    const times = json.data.map((one: { created_at: string }) => one.created_at);
    expect(times).toEqual([...times].sort().reverse());
    expect(reads.whole).toBe(101);
    expect(reads.rows).toBeLessThan(101 + 60 * 3 + 2 * 101);
    const all = new Set<string>();
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: { data: { id: string }[]; next_cursor: string | null } = (
        await b.call("GET", `/v1/submissions?limit=100${cursor && `&cursor=${cursor}`}`, { key })
      ).json;
      for (const { id } of page.data) all.add(id);
      cursor = page.next_cursor;
    }
    expect(all.size).toBe(59 * 8 + 130);
  });
});

/** A store in memory that ends a page by its bytes, and needs seven of them for a character, as PostgreSQL does. */
function countingBytes(): StorageDriver {
  const store = memoryStorage();
  return {
    ...store,
    async page(collection, { weight = Number.POSITIVE_INFINITY, ...query }) {
      let before = 0;
      return (await store.page(collection, query)).filter(({ value }) => {
        const isIn = before < weight;
        before += Buffer.byteLength(safeJson(value));
        return isIn;
      });
    },
  };
}

it("a post whose characters take seven bytes each hides no older one from a list, an export and an erasure", async () => {
  const b = await submitted({ storage: countingBytes() });
  for (let i = 0; i < 5; i++) await b.submitted({ email: "ann@example.com", i: String(i) });
  const text = "\ue000".repeat(20_000);
  await b.submitted({ a: text, b: text, c: text, d: text });
  for (const query of ["", "?order=asc", "?q=ann"]) {
    const { json } = await b.list(query);
    expect([json.data.length, json.has_more]).toEqual([query === "?q=ann" ? 5 : 6, false]);
  }
  const exported = await b.fetch(
    new Request(`${b.baseUrl}/v1/forms/${b.id}/submissions/export?format=ndjson`, {
      headers: { authorization: `Bearer ${b.key}` },
    }),
  );
  expect((await exported.text()).trim().split("\n")).toHaveLength(6);
  expect((await b.dataSubjects.export({ email: "ann@example.com" })).data).toHaveLength(5);
  expect((await b.dataSubjects.erase({ email: "ann@example.com" })).erased.submissions).toBe(5);
  expect((await b.list()).json.data).toHaveLength(1);
});
