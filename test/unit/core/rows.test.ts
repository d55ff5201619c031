import { afterEach, describe, expect, it, vi } from "vitest";
import { createCaches } from "../../../src/core/caches.ts";
import { createRecordReader } from "../../../src/core/record-reader.ts";
import { createRows, ignoreStale, put, remove, retrying } from "../../../src/core/rows.ts";
import { memoryStorage } from "../../../src/drivers/storage/memory.ts";
import { StaleWriteError, type StorageDriver } from "../../../src/drivers/storage/types.ts";
import { block, nullable, text } from "../../../src/lib/leaves.ts";
import type { MarkRecord } from "../../../src/model/records.ts";
import { testClock } from "../../../src/surfaces/testing/clock.ts";
import { harness } from "../../_support/backend.ts";

afterEach(() => vi.restoreAllMocks());

const stale = () => new StaleWriteError("marks", "a");

describe("work that others may overtake", () => {
  it("is repeated until nobody was faster, and its value is returned", async () => {
    let tried = 0;
    const value = await retrying(async () => {
      if (++tried < 4) throw stale();
      return "done";
    });
    expect([value, tried]).toEqual(["done", 4]);
  });

  it("ends with `unavailable` after its tries, which names the conflict as its cause and says when to come back", async () => {
    let tried = 0;
    const failed = retrying(() => {
      tried++;
      return Promise.reject(stale());
    }, 3);
    await expect(failed).rejects.toMatchObject({ code: "unavailable", headers: { "retry-after": "1" } });
    await expect(failed).rejects.toHaveProperty("cause", expect.any(StaleWriteError));
    expect(tried).toBe(3);
  });

  it("ends at once with any other error", async () => {
    let tried = 0;
    const failed = retrying(() => {
      tried++;
      return Promise.reject(new TypeError("no"));
    });
    await expect(failed).rejects.toThrow(TypeError);
    expect(tried).toBe(1);
  });

  it("waits at random, twice as long at most with each failure, and never more than 50 ms", async () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    const waits: unknown[] = [];
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms: number) => {
      waits.push(ms);
      queueMicrotask(run);
    }) as never);
    await retrying(() => Promise.reject(stale()), 9).catch(() => {});
    expect(waits).toEqual([2, 4, 8, 16, 32, 50, 50, 50]);
  });

  it("is given up silently for a conflict alone", () => {
    expect(ignoreStale(stale())).toBeUndefined();
    expect(() => ignoreStale(new TypeError("no"))).toThrow(TypeError);
  });
});

it("writes name what they expect", () => {
  const value: MarkRecord = { expires_at: null };
  expect(put("marks", "quiet:a", value, null)).toEqual({
    op: "put",
    collection: "marks",
    id: "quiet:a",
    value,
    expect: null,
  });
  expect(put("marks", "quiet:a", value)).toHaveProperty("expect", undefined);
  expect(remove("marks", "a", 3)).toEqual({ op: "remove", collection: "marks", id: "a", expect: 3 });
});

/** A store with three teams, one of which can't be read, and what was asked of it. */
async function setUp() {
  const made = memoryStorage();
  const b = harness({ storage: made });
  for (const id of ["team-a", "team-b", "team-c"]) await b.teams.create({ id, name: `Name of ${id}` });
  const store = memoryStorage();
  const found = await made.get("teams", ["team-a", "team-b", "team-c"]);
  for (const { id, value } of found.values())
    await store.commit([
      { op: "put", collection: "teams", id, value: id === "team-b" ? { ...value, name: 7 } : value, expect: null },
    ]);
  const asked: string[] = [];
  const counting: StorageDriver = {
    ...store,
    async get(collection, ids) {
      asked.push(`get ${collection} ${[...ids].join()}`);
      return store.get(collection, ids);
    },
    async page(collection, query) {
      asked.push(`page ${collection} ${query.order} ${query.limit}`);
      return store.page(collection, query);
    },
  };
  const errors: string[] = [];
  const logger = { debug() {}, info() {}, warn() {}, error: (message: string) => void errors.push(message) };
  const clock = testClock(1_800_000_000_000);
  const changes = new Map([["teams", 2]]);
  const rows = createRows(counting, createCaches(clock), createRecordReader(logger), changes);
  return { rows, store, asked, errors, clock };
}

describe("rows of a store", () => {
  it("are read one by one: null where there is none, and an error with its name where it can't be read", async () => {
    const { rows } = await setUp();
    expect((await rows.get("teams", "team-a"))?.value.name).toBe("Name of team-a");
    expect(await rows.get("teams", "team-x")).toBeNull();
    await expect(rows.get("teams", "team-b")).rejects.toMatchObject({
      code: "internal_error",
      message: expect.stringContaining('"team-b" of teams'),
    });
  });

  it("are read together where they are asked for in one turn", async () => {
    const { rows, asked } = await setUp();
    const [a, c, none] = await Promise.all(["team-a", "team-c", "team-x"].map((id) => rows.batched("teams", id)));
    expect([a?.value.name, c?.value.name, none]).toEqual(["Name of team-a", "Name of team-c", null]);
    expect(asked).toEqual(["get teams team-a,team-c,team-x"]);
    await expect(rows.batched("teams", "team-b")).rejects.toMatchObject({ code: "internal_error" });
  });

  it("are remembered for two seconds, and known without a promise as long", async () => {
    const { rows, asked, clock } = await setUp();
    expect([rows.known("teams", "team-a"), rows.isCached("teams", "team-a")]).toEqual([null, false]);
    const first = rows.cached("teams", "team-a");
    expect(rows.isCached("teams", "team-a")).toBe(true);
    expect(await rows.cached("teams", "team-a")).toBe(await first);
    expect(rows.known("teams", "team-a")).toBe(await first);
    expect(asked).toHaveLength(1);
    clock.set(clock.now() + 2_001);
    expect(rows.known("teams", "team-a")).toBeNull();
    await rows.cached("teams", "team-a");
    expect(asked).toHaveLength(2);
  });

  it("are loaded by the caller where that is said", async () => {
    const { rows, asked } = await setUp();
    const row = await rows.get("teams", "team-c");
    asked.length = 0;
    expect(await rows.cached("teams", "mine", async () => row)).toBe(row);
    expect(asked).toEqual([]);
  });

  it("come as those of many that can be read, by their ids", async () => {
    const { rows, errors } = await setUp();
    const found = await rows.many("teams", ["team-a", "team-b", "team-c", "team-x"]);
    expect([...found.keys()].sort()).toEqual(["team-a", "team-c"]);
    expect(found.get("team-c")?.value.name).toBe("Name of team-c");
    expect(errors).toHaveLength(1);
  });

  it("are walked in the order that is asked for, ascending by default, in pages that are not empty", async () => {
    const { rows, store, asked } = await setUp();
    const names = async (query: Parameters<typeof rows.walk>[1]) => {
      const pages: string[][] = [];
      for await (const page of rows.walk("teams", query)) pages.push(page.map(({ id }) => id));
      return pages;
    };
    const spoiled: string[] = [];
    expect(await names({ index: "all", limit: 1, unreadable: ({ id }) => void spoiled.push(id) })).toEqual([
      ["team-a"],
      ["team-c"],
    ]);
    expect(spoiled).toEqual(["team-b"]);
    expect(await names({ index: "all", order: "desc" })).toEqual([["team-c", "team-a"]]);
    expect(asked.at(-1)).toMatch(/^page teams desc/);
    expect(await names({ index: "all", most: 1 })).toEqual([["team-a"]]);
    asked.length = 0;
    expect(await names({ index: "all", through: store })).toEqual([["team-a", "team-c"]]);
    expect(asked).toEqual([]);
    expect((await rows.all("teams", { index: "all", limit: 1 })).map(({ id }) => id)).toEqual(["team-a", "team-c"]);
  });

  it("come as a page with the place of the next one", async () => {
    const { rows } = await setUp();
    const query = { partitions: [{ index: "all", equals: {} }], order: "asc", limit: 1 } as const;
    const first = await rows.page("teams", query);
    expect([first.rows.map(({ id }) => id), first.next?.id]).toEqual([["team-a"], "team-a"]);
    const last = await rows.page("teams", { ...query, limit: 10 });
    expect([last.rows.map(({ id }) => id), last.next]).toEqual([["team-a", "team-c"], null]);
  });

  it("are changed under their version, again where another writer was faster, and left alone for null", async () => {
    const { rows, store } = await setUp();
    const missing = () => new RangeError("none");
    let tried = 0;
    const value = await rows.update(
      "teams",
      "team-a",
      async (team, version) => {
        tried++;
        const [row] = (await store.get("teams", ["team-a"])).values();
        expect(version).toBe(row?.version);
        if (tried === 1 && row) await store.commit([put("teams", "team-a", { ...team, plan: "theirs" }, row.version)]);
        return { ...team, name: "Ours" };
      },
      missing,
      (next) => [put("marks", "quiet:a", { expires_at: next.name })],
    );
    expect([tried, value.name, value.plan]).toEqual([2, "Ours", "theirs"]);
    const stored = (await store.get("teams", ["team-a"])).get("team-a");
    expect(stored?.value).toMatchObject({ name: "Ours", plan: "theirs" });
    expect((await store.get("marks", ["quiet:a"])).get("quiet:a")?.value["expires_at"]).toBe("Ours");
    expect((await rows.update("teams", "team-a", () => null, missing)).name).toBe("Ours");
    expect((await store.get("teams", ["team-a"])).get("team-a")?.version).toBe(stored?.version);
    await expect(rows.update("teams", "team-x", () => null, missing)).rejects.toThrow(RangeError);
    // Nothing beside it where nothing is said.
    expect((await rows.update("teams", "team-c", (team) => ({ ...team, name: "C" }), missing)).name).toBe("C");
  });

  it("count the changes of this process, and read marks through the leaves of their feature", async () => {
    const { rows, store, asked } = await setUp();
    expect([rows.changes("teams"), rows.changes("forms")]).toEqual([2, 0]);
    const leaf = block<MarkRecord & { word: string }>({ expires_at: nullable(text()), word: text("none") });
    await store.commit([{ op: "put", collection: "marks", id: "quiet:a", value: { expires_at: null }, expect: null }]);
    const [mark, none] = await Promise.all([rows.mark("quiet:a", leaf), rows.mark("quiet:b", leaf)]);
    expect([mark?.value.word, none]).toEqual(["none", null]);
    expect(asked).toEqual(["get marks quiet:a,quiet:b"]);
    expect(rows.asMark({ id: "x", version: 1, value: { expires_at: null, word: "yes" } }, leaf).value.word).toBe("yes");
  });
});
