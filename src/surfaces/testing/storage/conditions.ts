import assert from "node:assert/strict";
import type { Condition, StorageDriver } from "../../../drivers/storage/types.ts";
import type { Suite } from "../suite.ts";
import { field, idsOf, storageCase, submission, time } from "./fixtures.ts";

const rows = [
  submission("a", 1, {
    country: "DE",
    read: true,
    fields: [field("name", "Änne"), field("name", "Zoë"), field("note", "")],
  }),
  submission("b", 2, { country: "FR", fields: [field("name", "änne"), field("pct", "100%_\\ 'sure' \"yes\"")] }),
  submission("c", 3, {
    country: null,
    read: null,
    fields: [field("__proto__", "polluted"), field("constructor", "c😀d")],
    source: [field("utm_campaign", "Spring Sale"), field("referrer", "https://name.example/")],
  }),
  submission("d", 4, { country: "de", fields: [field("pct", "100 x"), field("σίσυφος", "ΣΊΣΥΦΟΣ")] }),
  submission("e", 5, { country: "" }),
];

/** Each with the ids that it lets through. */
const expectations: readonly (readonly [string, Condition[], string])[] = [
  ["nothing asked", [], "abcde"],
  ["in, exact case", [{ column: "country", op: "in", value: ["DE"] }], "a"],
  ["in, several", [{ column: "country", op: "in", value: ["DE", "FR", "XX"] }], "ab"],
  ["in, with null", [{ column: "country", op: "in", value: ["FR", null] }], "bc"],
  ["in, null alone", [{ column: "country", op: "in", value: [null] }], "c"],
  ["in, empty text is not null", [{ column: "country", op: "in", value: [""] }], "e"],
  ["in, empty list", [{ column: "country", op: "in", value: [] }], ""],
  ["in, wildcard and quote as data", [{ column: "country", op: "in", value: ["%", "D_", "' OR 1=1 --"] }], ""],
  ["in, boolean", [{ column: "read", op: "in", value: [true] }], "a"],
  ["in, boolean false is not null", [{ column: "read", op: "in", value: [false] }], "bde"],
  ["in, boolean or null", [{ column: "read", op: "in", value: [true, null] }], "ac"],
  ["in, another type", [{ column: "read", op: "in", value: [1, "true"] }], ""],
  ["gte on the sort column", [{ column: "created_at", op: "gte", value: time(4) }], "de"],
  ["lt on the sort column", [{ column: "created_at", op: "lt", value: time(2) }], "a"],
  ["in on the sort column", [{ column: "created_at", op: "in", value: [time(2), time(9)] }], "b"],
  ["gte on another column", [{ column: "updated_at", op: "gte", value: time(5) }], "e"],
  ["lt leaves null out", [{ column: "country", op: "lt", value: "ZZ" }], "abe"],
  ["gte leaves null out", [{ column: "country", op: "gte", value: "E" }], "bd"],
  ["eq, exact case", [{ field: "name", op: "eq", value: "änne" }], "b"],
  ["eq, any of the repeated entries", [{ field: "name", op: "eq", value: "Zoë" }], "a"],
  ["eq, any field", [{ field: null, op: "eq", value: "100 x" }], "d"],
  ["eq, empty text", [{ field: "note", op: "eq", value: "" }], "a"],
  ["contains, any case", [{ field: "name", op: "contains", value: "ÄNN" }], "ab"],
  ["contains, any case of Greek", [{ field: "σίσυφος", op: "contains", value: "σίσυ" }], "d"],
  ["contains, any field", [{ field: null, op: "contains", value: "100" }], "bd"],
  ["contains, never the key", [{ field: null, op: "contains", value: "pct" }], ""],
  ["contains, per cent as data", [{ field: "pct", op: "contains", value: "0%" }], "b"],
  ["contains, underscore as data", [{ field: "pct", op: "contains", value: "_" }], "b"],
  ["contains, backslash as data", [{ field: "pct", op: "contains", value: "\\ " }], "b"],
  ["contains, quotes as data", [{ field: "pct", op: "contains", value: "'SURE' \"y" }], "b"],
  ["contains, emoji", [{ field: "constructor", op: "contains", value: "😀" }], "c"],
  ["contains, empty text in any entry", [{ field: "name", op: "contains", value: "" }], "ab"],
  ["not_contains, also where the field is missing", [{ field: "name", op: "not_contains", value: "zo" }], "bcde"],
  ["not_contains, any field", [{ field: null, op: "not_contains", value: "100" }], "ace"],
  ["eq, of the source", [{ field: "utm_campaign", of: "source", op: "eq", value: "Spring Sale" }], "c"],
  ["eq, never of the source by itself", [{ field: "utm_campaign", op: "eq", value: "Spring Sale" }], ""],
  ["contains, of the source, any case", [{ field: "utm_campaign", of: "source", op: "contains", value: "sale" }], "c"],
  ["in, of the source", [{ field: "utm_campaign", of: "source", op: "in", value: ["x", "Spring Sale"] }], "c"],
  ["exists, of the source", [{ field: "utm_campaign", of: "source", op: "exists", value: true }], "c"],
  ["exists not, of the source", [{ field: "referrer", of: "source", op: "exists", value: false }], "abde"],
  ["starts_with, any case", [{ field: "name", op: "starts_with", value: "ä" }], "ab"],
  ["starts_with, not in the middle", [{ field: "name", op: "starts_with", value: "nne" }], ""],
  ["starts_with, wildcards as data", [{ field: "pct", op: "starts_with", value: "100%" }], "b"],
  ["starts_with, any field", [{ field: null, op: "starts_with", value: "100" }], "bd"],
  ["in, field, exact case", [{ field: "name", op: "in", value: ["änne", "zoë"] }], "b"],
  ["in, field, empty list", [{ field: "name", op: "in", value: [] }], ""],
  ["exists", [{ field: "name", op: "exists", value: true }], "ab"],
  ["exists, though empty", [{ field: "note", op: "exists", value: true }], "a"],
  ["exists not", [{ field: "name", op: "exists", value: false }], "cde"],
  ["a field named __proto__", [{ field: "__proto__", op: "eq", value: "polluted" }], "c"],
  ["no field of Object's own", [{ field: "toString", op: "exists", value: true }], ""],
  ["a field name is exact", [{ field: "NAME", op: "exists", value: true }], ""],
  [
    "all conditions at once",
    [
      { column: "country", op: "in", value: ["DE", "FR"] },
      { field: "name", op: "contains", value: "änne" },
      { field: "pct", op: "exists", value: true },
    ],
    "b",
  ],
];

export const conditionCases: Suite<StorageDriver> = [
  storageCase("conditions let through exactly the rows they name, in pages and counts", async (driver) => {
    await driver.commit(rows);
    const form = { index: "form", equals: { form_id: "f1" } } as const;
    for (const [name, where, expected] of expectations) {
      const ascending = await driver.page("submissions", { ...form, where, order: "asc", limit: 9 });
      assert.equal(idsOf(ascending).join(""), expected, name);
      const descending = await driver.page("submissions", { ...form, where, order: "desc", limit: 9 });
      assert.equal(idsOf(descending).reverse().join(""), expected, `${name}, descending`);
      const count = await driver.count("submissions", { ...form, where, budgetMs: 60_000 });
      assert.deepEqual(count, { count: expected.length, exact: true }, `${name}, counted`);
    }
  }),

  storageCase("a condition on rows without fields, or on no column, does not break", async (driver) => {
    await driver.commit([
      submission("s", 1, { fields: "not a list" }),
      submission("t", 2, { fields: [null, 1, { key: 1 }] }),
    ]);
    const query = { index: "form", equals: { form_id: "f1" }, order: "asc", limit: 9 } as const;
    const missing: Condition[] = [{ field: "a", op: "exists", value: false }];
    assert.deepEqual(idsOf(await driver.page("submissions", { ...query, where: missing })), ["s", "t"]);
    const any: Condition[] = [{ field: null, op: "contains", value: "" }];
    assert.deepEqual(idsOf(await driver.page("submissions", { ...query, where: any })), []);
  }),
];
