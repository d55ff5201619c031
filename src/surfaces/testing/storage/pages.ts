import assert from "node:assert/strict";
import { pagesOf } from "../../../core/pages.ts";
import type { Condition, PageQuery, Position, StorageDriver, Stored } from "../../../drivers/storage/types.ts";
import type { Suite } from "../suite.ts";
import { commitMany, idsOf, job, padded, put, storageCase, submission, time } from "./fixtures.ts";

const form = { index: "form", equals: { form_id: "f1" } } as const;

const placeOf = (row: Stored): Position => ({ sort: String(row.value.created_at), id: row.id });

async function walk(driver: StorageDriver, query: Omit<PageQuery, "after">): Promise<string[]> {
  const ids: string[] = [];
  let after: Position | undefined;
  for (;;) {
    const rows = await driver.page("submissions", { ...query, after });
    assert.ok(rows.length <= query.limit);
    if (rows.length === 0) return ids;
    ids.push(...idsOf(rows));
    assert.ok(ids.length < 1000, "a walk comes to an end");
    after = placeOf(rows.at(-1)!);
  }
}

export const pageCases: Suite<StorageDriver> = [
  storageCase("haveBefore, where a driver has it, names the runs with an older row, and no other", async (driver) => {
    await driver.commit([
      submission("old", 1),
      submission("spam", 1, { form_id: "f2", spam: true }),
      submission("unclear", 1, { form_id: "f3", spam: null }),
      submission("new", 9, { form_id: "f4" }),
    ]);
    const runs = ["f4", "f1", "none", "f3", "f2", "f\0"].map((form_id) => ({ equals: { form_id }, before: time(5) }));
    const found = driver.haveBefore ? await driver.haveBefore("submissions", { index: "form", runs }) : [1, 3, 4];
    assert.deepEqual(found, [1, 3, 4]);
    assert.deepEqual((await driver.haveBefore?.("submissions", { index: "form", runs: [] })) ?? [], []);
  }),

  storageCase("pages follow the sort column, then the id, in both directions", async (driver) => {
    // Written out of order; three rows to a second.
    const rows = Array.from({ length: 20 }, (_, i) => (i * 7) % 20).map((i) =>
      submission(padded(i), Math.floor(i / 3)),
    );
    await driver.commit([...rows, submission("other", 1, { form_id: "f2" })]);
    const ascending = Array.from({ length: 20 }, (_, i) => padded(i));
    for (const limit of [1, 2, 3, 7, 20, 100]) {
      assert.deepEqual(await walk(driver, { ...form, order: "asc", limit }), ascending);
      assert.deepEqual(await walk(driver, { ...form, order: "desc", limit }), ascending.toReversed());
    }
  }),

  storageCase("ids decide by text order among equal times, whenever they were written", async (driver) => {
    for (const id of ["b", "a10", "c", "a1", "a2", "B"]) await driver.commit([submission(id, 1)]);
    assert.deepEqual(await walk(driver, { ...form, order: "asc", limit: 2 }), ["B", "a1", "a10", "a2", "b", "c"]);
  }),

  storageCase("a page goes on behind a row that is gone, and behind one that never was", async (driver) => {
    await driver.commit([1, 2, 3, 4, 5].map((n) => submission(`s${n}`, n)));
    const [first, second] = await driver.page("submissions", { ...form, order: "desc", limit: 2 });
    assert.deepEqual([first?.id, second?.id], ["s5", "s4"]);
    await driver.commit([{ op: "remove", collection: "submissions", id: "s4" }]);
    const after = placeOf(second!);
    const next = await driver.page("submissions", { ...form, order: "desc", limit: 2, after });
    assert.deepEqual(idsOf(next), ["s3", "s2"]);
    const never = { sort: time(3), id: "s2x" };
    assert.deepEqual(idsOf(await driver.page("submissions", { ...form, order: "asc", limit: 9, after: never })), [
      "s3",
      "s5",
    ]);
    assert.deepEqual(idsOf(await driver.page("submissions", { ...form, order: "desc", limit: 9, after: never })), [
      "s2",
      "s1",
    ]);
  }),

  storageCase("an index pins several columns, null among them", async (driver) => {
    await driver.commit([
      submission("a", 1, { spam: true }),
      submission("b", 2),
      submission("c", 3, { spam: true, form_id: "f2" }),
      submission("d", 4, { spam: null }),
      submission("e", 5, { form_id: "F1" }),
      job("j1", null, { target: null, occurred_at: time(1) }),
      job("j2", null, { target: "w1", occurred_at: time(1) }),
    ]);
    const spam = async (value: boolean | null): Promise<string[]> => {
      const equals = { spam: value, form_id: "f1" };
      return idsOf(await driver.page("submissions", { index: "form_spam", equals, order: "asc", limit: 9 }));
    };
    assert.deepEqual(await spam(true), ["a"]);
    assert.deepEqual(await spam(false), ["b"]);
    assert.deepEqual(await spam(null), ["d"]);
    assert.deepEqual(await walk(driver, { ...form, order: "asc", limit: 9 }), ["a", "b", "d"]);
    assert.deepEqual(await walk(driver, { index: "team", equals: { team_id: "t1" }, order: "asc", limit: 9 }), [
      ..."abcde",
    ]);
    const none = await driver.page("jobs", { index: "target", equals: { target: null }, order: "asc", limit: 9 });
    assert.deepEqual(idsOf(none), ["j1"]);
    assert.deepEqual(await walk(driver, { ...form, equals: { form_id: "nobody" }, order: "asc", limit: 9 }), []);
  }),

  storageCase("a row without a sort value is not in the index", async (driver) => {
    await driver.commit([put("marks", "timeless", { expires_at: null }), put("marks", "absent", {})]);
    await driver.commit([put("marks", "timed", { expires_at: time(1) })]);
    const query = { index: "expiry", equals: {}, order: "asc", limit: 9 } as const;
    assert.deepEqual(idsOf(await driver.page("marks", query)), ["timed"]);
    assert.equal((await driver.count("marks", { index: "expiry", equals: {}, budgetMs: 5000 })).count, 1);
    await driver.commit([
      put("marks", "timed", { expires_at: null }),
      put("marks", "timeless", { expires_at: time(2) }),
    ]);
    assert.deepEqual(idsOf(await driver.page("marks", query)), ["timeless"]);
  }),

  storageCase("a changed row moves to its new place in every index", async (driver) => {
    await driver.commit([submission("a", 1), submission("b", 2), submission("c", 3)]);
    await driver.commit([submission("a", 1, { updated_at: time(9), spam: true })]);
    const updated = { index: "form_updated", equals: { form_id: "f1" }, order: "desc", limit: 9 } as const;
    assert.deepEqual(idsOf(await driver.page("submissions", updated)), ["a", "c", "b"]);
    assert.deepEqual(await walk(driver, { ...form, order: "asc", limit: 9 }), ["a", "b", "c"]);
    const inbox = { index: "form_spam", equals: { form_id: "f1", spam: false }, order: "asc", limit: 9 } as const;
    assert.deepEqual(idsOf(await driver.page("submissions", inbox)), ["b", "c"]);
  }),

  storageCase("bounds on the sort column and a place narrow together", async (driver) => {
    await driver.commit(Array.from({ length: 10 }, (_, n) => submission(`s${n}`, n)));
    const where: Condition[] = [
      { column: "created_at", op: "gte", value: time(2) },
      { column: "created_at", op: "lt", value: time(7) },
    ];
    const ids = async (order: "asc" | "desc", after?: Position): Promise<string> =>
      idsOf(await driver.page("submissions", { ...form, where, order, limit: 99, after })).join(" ");
    assert.equal(await ids("asc"), "s2 s3 s4 s5 s6");
    assert.equal(await ids("desc"), "s6 s5 s4 s3 s2");
    assert.equal(await ids("asc", { sort: time(4), id: "s4" }), "s5 s6");
    assert.equal(await ids("desc", { sort: time(4), id: "s4" }), "s3 s2");
    assert.equal(await ids("asc", { sort: time(0), id: "s0" }), "s2 s3 s4 s5 s6");
    assert.equal(await ids("desc", { sort: time(0), id: "s0" }), "");
    assert.equal((await driver.count("submissions", { ...form, where, budgetMs: 5000 })).count, 5);
  }),

  storageCase("a filtered walk over many rows finds each match once, in both directions", async (driver) => {
    const wanted = new Set([0, 255, 256, 257, 999, 1000, 1001, 2048, 2499]);
    const fields = [{ key: "a", value: "needle" }];
    const rows = Array.from({ length: 2500 }, (_, i) =>
      submission(padded(i), Math.floor(i / 4), wanted.has(i) ? { fields, country: "DE" } : {}),
    );
    await commitMany(driver, rows);
    const expected = [...wanted].map(padded);
    const byField: Condition[] = [{ field: "a", op: "eq", value: "needle" }];
    const byColumn: Condition[] = [{ column: "country", op: "in", value: ["DE"] }];
    for (const where of [byField, byColumn, [...byField, ...byColumn]]) {
      assert.deepEqual(await walk(driver, { ...form, where, order: "asc", limit: 2 }), expected);
      assert.deepEqual(await walk(driver, { ...form, where, order: "desc", limit: 4 }), expected.toReversed());
      assert.deepEqual(await driver.count("submissions", { ...form, where, budgetMs: 60_000 }), {
        count: 9,
        exact: true,
      });
    }
  }),

  storageCase(
    "pages that are asked to be light hold a row at least, and a walk of them has every row",
    async (driver) => {
      const fields = [{ key: "text", value: "x".repeat(30_000) }];
      await driver.commit(Array.from({ length: 20 }, (_, i) => submission(padded(i), i, { fields })));
      const ids = Array.from({ length: 20 }, (_, i) => padded(i));
      for (const weight of [1, 50_000, 10_000_000]) {
        const query = { ...form, limit: 20, weight } as const;
        assert.deepEqual(await walk(driver, { ...query, order: "asc" }), ids);
        assert.deepEqual(await walk(driver, { ...query, order: "desc" }), ids.toReversed());
        const where = [{ field: "text", op: "contains", value: "xxx" }] as const;
        assert.deepEqual(await walk(driver, { ...query, where, order: "asc" }), ids);
      }
    },
  ),

  storageCase(
    "texts of two and three bytes for each character leave no row out of a page, a walk or a count",
    async (driver) => {
      const ids = Array.from({ length: 300 }, (_, i) => padded(i));
      for (const [form_id, text] of [
        ["f1", "я".repeat(1_200)],
        ["f2", "漢".repeat(800)],
      ] as const) {
        const fields = [{ key: "text", value: text }];
        await commitMany(
          driver,
          ids.map((id, i) => submission(form_id + id, i, { form_id, fields })),
        );
        const all = ids.map((id) => form_id + id);
        const form = { index: "form", equals: { form_id } } as const;
        const where = [{ field: "text", op: "contains", value: text.slice(0, 3) }] as const;
        assert.deepEqual(idsOf(await driver.page("submissions", { ...form, where, order: "asc", limit: 300 })), all);
        for (const weight of [undefined, 300_000, 400_000]) {
          const query = { ...form, limit: 300, weight } as const;
          assert.deepEqual(await walk(driver, { ...query, order: "asc" }), all);
          assert.deepEqual(await walk(driver, { ...query, where, order: "asc" }), all);
          assert.deepEqual(await walk(driver, { ...query, where, order: "desc" }), all.toReversed());
        }
        const counted = await driver.count("submissions", { ...form, where, budgetMs: 60_000 });
        assert.deepEqual(counted, { count: 300, exact: true });
        const groupBy = { field: "text" } as const;
        const grouped = await driver.count("submissions", { ...form, groupBy, budgetMs: 60_000 });
        assert.deepEqual(grouped, { count: 300, exact: true, groups: [{ key: text, count: 300 }] });
      }
    },
  ),

  storageCase("a walk of the backend goes on behind a row that the store needs many bytes for", async (driver) => {
    // Texts that are escaped, or written in another way; the last one is what other texts are written with in PostgreSQL.
    const texts = ["\0", "\u0001", "\ud800", '"', "漢", "\ue000"].map((text) => text.repeat(20_000));
    for (const [n, value] of texts.entries()) {
      const fields = ["a", "b", "c", "d"].map((key) => ({ key, value }));
      await driver.commit([submission(padded(n), n, { fields }), submission(`after-${padded(n)}`, n)]);
    }
    const ids = texts.flatMap((_, n) => [padded(n), `after-${padded(n)}`]);
    for (const order of ["asc", "desc"] as const) {
      const found: string[] = [];
      for await (const rows of pagesOf(driver, "submissions", { ...form, order })) {
        found.push(...idsOf(rows));
        assert.ok(found.length <= ids.length, "a walk comes to an end");
      }
      assert.deepEqual(found, order === "asc" ? ids : ids.toReversed());
    }
  }),

  storageCase("rows of which the columns are enough have those, their id and their version", async (driver) => {
    await driver.commit([1, 2, 3].map((n) => submission(`s${n}`, n)));
    const where = [{ column: "spam", op: "in", value: [false] }] as const;
    const rows = await driver.page("submissions", { ...form, where, order: "desc", limit: 2, columnsOnly: true });
    assert.deepEqual(
      rows.map(({ id, version, value }) => [id, version, value.created_at, value.form_id, value.spam]),
      [
        ["s3", 1, time(3), "f1", false],
        ["s2", 1, time(2), "f1", false],
      ],
    );
  }),
];
