import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver, Write } from "../../../../src/drivers/storage/types.ts";
import { type LegacyHarness, legacyHarness } from "./_legacy.ts";

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.parse("2026-01-01T00:00:00.000Z");

interface Row {
  id: string;
  ageDays: number;
  spam?: boolean;
  attached?: boolean;
  updatedDays?: number;
  name?: string;
  more?: { key: string; value: string }[];
}

const rows: Row[] = [
  { id: "a", ageDays: 0, name: "Ann" },
  { id: "b", ageDays: 1, name: "Hannah", attached: true },
  { id: "c", ageDays: 2, name: "annika test", spam: true },
  { id: "d", ageDays: 6.9, name: "Bob", attached: true, spam: true },
  { id: "e", ageDays: 7.1, name: "Ann Test", attached: true },
  { id: "f", ageDays: 30, name: "Zoë Müller", updatedDays: 0 },
  { id: "g", ageDays: 31, name: "Doe, Jane: 50% off", more: [{ key: "url", value: "https://example.com/?a=1,2" }] },
  { id: "h", ageDays: 32, more: [{ key: "full name, legal: yes", value: "日本語 テスト" }] },
  { id: "i", ageDays: 33, name: "a%2Cb+c", more: [{ key: "name", value: "second Ann" }] },
];

const at = (days: number): string => new Date(NOW - days * DAY).toISOString();

function write(
  form_id: string,
  { id, ageDays, spam = false, attached = false, updatedDays, name, more = [] }: Row,
): Write {
  const value = {
    form_id,
    team_id: "default",
    created_at: at(ageDays),
    updated_at: at(updatedDays ?? ageDays),
    spam,
    read: false,
    ip: null,
    country: null,
    user_agent: null,
    referer: null,
    fields: [...(name === undefined ? [] : [{ key: "name", value: name }]), ...more],
    attachments: [],
    attached,
    verdict: [],
    over_quota: false,
    subject: null,
    reply_to: null,
  };
  return { op: "put", collection: "submissions", id: `${form_id}-${id}`, value, expect: null };
}

const directory = mkdtempSync(join(tmpdir(), "legacy-list-"));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;

describe.each<[string, () => StorageDriver]>([
  ["memory", memoryStorage],
  ["sqlite", () => sqliteStorage({ path: join(directory, `${files++}.db`) })],
])("a legacy list on %s storage", (_, driver) => {
  let b: LegacyHarness;
  let form: string;
  let storage: StorageDriver;

  const list = (query: string) => b.legacy("GET", `/api/form/${form}/submissions${query}`);
  /** The letters of the listed rows. */
  const ids = async (query: string): Promise<string> => {
    const { status, json } = await list(query);
    if (status !== 200) throw new Error(`${status} ${json.message}`);
    return json.submissions.map(({ _id }: { _id: string }) => _id.slice(form.length + 1)).join("");
  };
  const filtered = (filter: string) => ids(`?filter=${filter}`);

  beforeAll(async () => {
    storage = driver();
    b = legacyHarness({ storage, rateLimit: false });
    form = (await b.forms.create({ name: "A" })).id;
    const other = (await b.forms.create({ name: "B" })).id;
    await storage.commit([...rows.map((row) => write(form, row)), write(other, { id: "x", ageDays: 0, name: "Ann" })]);
  });
  afterAll(() => b.close());

  it("answers exactly the documented members", async () => {
    const { status, json } = await list("?limit=1&page=6");
    expect(status).toBe(200);
    expect(json).toEqual({
      form,
      results: 1,
      pagination: { current_page: 6, previous_page: 5, next_page: 7, total_page: 9, total_submissions: 9 },
      submissions: [
        {
          _id: `${form}-f`,
          form,
          createdAt: at(30),
          updatedAt: at(0),
          fields: [{ key: "name", value: "Zoë Müller" }],
        },
      ],
    });
  });

  it("shows everything, newest first, 25 to a page", async () => {
    const { json } = await list("");
    expect(json.results).toBe(9);
    expect(json.pagination).toEqual({
      current_page: 1,
      previous_page: null,
      next_page: null,
      total_page: 1,
      total_submissions: 9,
    });
    expect(await ids("")).toBe("abcdefghi");
  });

  it.each([
    ["createdAt:-1", "abcdefghi"],
    ["createdAt:1", "ihgfedcba"],
    ["updatedAt:-1", "fabcdeghi"],
    ["updatedAt:1", "ihgedcbaf"],
    ["updatedAt%3A1", "ihgedcbaf"],
  ])("sorts by %s", async (sort, expected) => {
    expect(await ids(`?sort=${sort}`)).toBe(expected);
  });

  it.each([
    ["date:7", "abcd"],
    ["date:1", "ab"],
    ["date:36500", "abcdefghi"],
    ["attachments:true", "bde"],
    ["attachments:false", "acfghi"],
    ["spam:false", "abefghi"],
    ["spam:true", "cd"],
    ["name_contains:ann", "abcei"],
    ["name_notcontains:test", "abdfghi"],
    ["name_notcontains:ann", "dfgh"],
    ["date:7,attachments:true,spam:false", "b"],
    ["name_contains:ann,name_notcontains:test", "abi"],
    ["name_contains:ann,name_contains:test", "ce"],
    ["date:7,spam:true,name_contains:ann,name_notcontains:bob,attachments:false", "c"],
    ["spam:true,spam:false", ""],
    ["date:7,date:1", "ab"],
    ["nobody_contains:x", ""],
    // Colons as they stand; commas and percent signs encoded; unicode encoded or not; a space as + or %20.
    ["url_contains:https://example.com", "g"],
    ["url_contains:https%3A%2F%2Fexample.com%2F%3Fa%3D1%2C2", "g"],
    ["name_contains:Doe%2C%20Jane%3A", "g"],
    ["name_contains:doe%2C+jane:+50%25", "g"],
    ["name_contains:M%C3%BCller", "f"],
    ["name_contains:müller", "f"],
    ["name_contains:ZOË", "f"],
    ["full%20name%2C%20legal%3A%20yes_contains:%E6%97%A5%E6%9C%AC%E8%AA%9E", "h"],
    ["name_contains:%252Cb%2Bc", "i"],
    ["", "abcdefghi"],
  ])("filters by %s", async (filter, expected) => {
    expect(await filtered(filter)).toBe(expected);
  });

  it.each([
    ["date:7,spam:false", "ab"],
    ["url_contains:https://example.com", "g"],
    ["name_contains:müller,spam:false", "f"],
    [`name_contains:${encodeURIComponent("Doe, Jane: 50% off")},spam:false`, "g"],
    [`${encodeURIComponent("full name, legal: yes")}_contains:${encodeURIComponent("日本語 テ")}`, "h"],
  ])("understands a client that encodes the whole of %s", async (filter, expected) => {
    expect(await ids(`?${new URLSearchParams({ filter })}`)).toBe(expected);
    // As axios writes it, which leaves colons and commas.
    const half = encodeURIComponent(filter).replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%20", "+");
    expect(await ids(`?filter=${half}`)).toBe(expected);
  });

  it.each(["createdAt:-1", "createdAt:1", "updatedAt:-1", "updatedAt:1"])("walks all rows once by %s", async (sort) => {
    for (const [filter, total] of [
      ["", 9],
      ["spam:false", 7],
      ["name_contains:ann", 5],
      ["name_notcontains:ann,spam:false", 3],
    ] as const) {
      const whole = await ids(`?sort=${sort}&filter=${filter}`);
      expect(whole).toHaveLength(total);
      for (const limit of [1, 2, 3, 4, 50]) {
        const pages = Math.ceil(total / limit);
        let walked = "";
        for (let page = 1; page <= pages; page++) {
          const query = `?sort=${sort}&filter=${filter}&limit=${limit}&page=${page}`;
          const { json } = await list(query);
          walked += await ids(query);
          expect(json.pagination).toEqual({
            current_page: page,
            previous_page: page === 1 ? null : page - 1,
            next_page: page === pages ? null : page + 1,
            total_page: pages,
            total_submissions: total,
          });
        }
        expect(walked).toBe(whole);
      }
    }
  });

  it("answers an empty page beyond the end, with the right totals", async () => {
    for (const page of [10, 999_999_999]) {
      const { status, json } = await list(`?limit=1&page=${page}`);
      expect([status, json.results, json.submissions]).toEqual([200, 0, []]);
      expect(json.pagination).toEqual({
        current_page: page,
        previous_page: page - 1,
        next_page: null,
        total_page: 9,
        total_submissions: 9,
      });
    }
    const { json } = await list("?filter=nobody_contains:x");
    expect(json.pagination).toEqual({
      current_page: 1,
      previous_page: null,
      next_page: null,
      total_page: 0,
      total_submissions: 0,
    });
  });

  it.each([
    ["limit=51", "limit"],
    ["limit=0", "limit"],
    ["limit=-1", "limit"],
    ["limit=x", "limit"],
    ["limit=", "limit"],
    ["limit=1.5", "limit"],
    ["limit=1e1", "limit"],
    ["limit=5&limit=6", "limit"],
    ["page=0", "page"],
    ["page=-1", "page"],
    ["page=x", "page"],
    ["page=1.5", "page"],
    ["page=9999999999", "page"],
    ["sort=name:1", "sort"],
    ["sort=createdAt", "sort"],
    ["sort=createdAt:2", "sort"],
    ["sort=createdAt:desc", "sort"],
    ["sort=createdat:1", "sort"],
    ["sort=", "sort"],
    ["filter=x", "filter"],
    ["filter=:x", "filter"],
    ["filter=spam:maybe", "filter"],
    ["filter=spam:", "filter"],
    ["filter=attachments:1", "filter"],
    ["filter=date:0", "filter"],
    ["filter=date:-7", "filter"],
    ["filter=date:x", "filter"],
    ["filter=date:7.5", "filter"],
    ["filter=name:ann", "filter"],
    ["filter=_contains:ann", "filter"],
    ["filter=name_contains:", "filter"],
    ["filter=name_startswith:a", "filter"],
    ["filter=spam:true,", "filter"],
    ["filter=,spam:true", "filter"],
    ["filter=name_contains:Doe,Jane", "filter"],
    ["filter=name_contains:50%", "filter"],
    ["filter=name_contains:%ff", "filter"],
    ["filter=%ff", "filter"],
    ["filter=spam:true&filter=date:7", "filter"],
    [`filter=${Array.from({ length: 21 }, () => "spam:true").join(",")}`, "filter"],
  ])("refuses %s", async (query, named) => {
    const { status, json } = await list(`?${query}`);
    expect([status, json.code, json.title, json.type]).toEqual([400, 400, "Invalid request", "error"]);
    expect(json.message).toMatch(new RegExp(`^\`${named}\` .+`));
  });
});

describe("a legacy list of many rows", () => {
  let b: LegacyHarness;
  let form: string;
  beforeEach(async () => {
    const storage = sqliteStorage({ path: join(directory, `${files++}.db`) });
    b = legacyHarness({ storage, rateLimit: false });
    form = (await b.forms.create({ name: "A" })).id;
    // Many rows share one time, so that only the id tells them apart.
    const many = Array.from(
      { length: 1_200 },
      (_, i): Row => ({ id: String(i).padStart(5, "0"), ageDays: Math.floor(i / 100), spam: i % 3 === 0 }),
    );
    await storage.commit(many.map((row) => write(form, row)));
  });
  afterEach(() => b.close());

  it.each(["createdAt:1", "updatedAt:-1"])(
    "is walked once over whole by %s, also where pages lie deep",
    async (sort) => {
      for (const [filter, total] of [
        ["", 1_200],
        ["spam:false", 800],
      ] as const) {
        const seen = new Set<string>();
        for (let page: number | null = 1; page !== null; ) {
          const { json } = await b.legacy(
            "GET",
            `/api/form/${form}/submissions?limit=50&sort=${sort}&filter=${filter}&page=${page}`,
          );
          for (const { _id } of json.submissions) seen.add(_id);
          expect(json.pagination.total_submissions).toBe(total);
          page = json.pagination.next_page;
        }
        expect(seen.size).toBe(total);
      }
    },
  );
});

describe("filtered legacy lists at the same time", () => {
  it("are at most two for a key, together with those of v1", async () => {
    const storage = memoryStorage();
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    let bothRun = (): void => {};
    const running = new Promise<void>((resolve) => (bothRun = resolve));
    let counts = 0;
    const waiting: StorageDriver = {
      ...storage,
      async count(collection, query) {
        if (collection === "submissions") {
          if (++counts === 2) bothRun();
          await gate;
        }
        return storage.count(collection, query);
      },
    };
    const b = legacyHarness({ storage: waiting, rateLimit: false });
    const { id } = await b.forms.create({ name: "A" });
    const call = (filter: string) => b.legacy("GET", `/api/form/${id}/submissions?filter=${filter}`);
    const first = [call("name_contains:a"), call("name_notcontains:a")];
    await running;
    const refused = await call("name_contains:b");
    expect(refused.json).toEqual({ code: 429, title: "Too many requests", message: expect.any(String), type: "error" });
    expect(refused.headers.get("retry-after")).toBe("1");
    const plain = call("spam:false");
    open();
    expect((await Promise.all([...first, plain])).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await call("name_contains:b")).status).toBe(200);
  });
});
