import assert from "node:assert/strict";
import type { StorageDriver, Value } from "../../../drivers/storage/types.ts";
import type { Suite } from "../suite.ts";
import { field, idsOf, one, put, storageCase, submission, time } from "./fixtures.ts";

const awkward = [
  "",
  " leading and trailing ",
  "null",
  "42",
  "true",
  '"quoted"',
  "it's; DROP TABLE forms; --",
  "100 % _under\\score",
  "line\r\nbreak\ttab",
  "žluťoučký 漢字 עברית",
  "👩‍👩‍👧‍👦🇩🇪",
  "é vs é",
  "\u2028\u2029\ufeff\uffff",
];

export const rowCases: Suite<StorageDriver> = [
  storageCase("get answers the rows that exist, by id", async (driver) => {
    await driver.commit([put("forms", "a", { name: "A" }), put("forms", "b", { name: "B" })]);
    const found = await driver.get("forms", ["b", "missing", "a", "b"]);
    assert.deepEqual([...found.keys()].sort(), ["a", "b"]);
    assert.equal(found.get("a")?.id, "a");
    assert.equal(found.get("a")?.version, 1);
    assert.equal(found.get("a")?.value.name, "A");
    assert.equal((await driver.get("forms", [])).size, 0);
    assert.equal((await driver.get("teams", ["a"])).size, 0);
  }),

  storageCase("get answers many rows at once", async (driver) => {
    const ids = Array.from({ length: 500 }, (_, i) => `row-${i}`);
    await driver.commit(ids.map((id, i) => put("webhook_states", id, { i })));
    const found = await driver.get("webhook_states", ids);
    assert.deepEqual(
      ids.map((id) => found.get(id)?.value.i),
      ids.map((_, i) => i),
    );
  }),

  storageCase("a value comes back as it was", async (driver) => {
    const value: Value = {
      ...{ form_id: "f1", team_id: "t1", created_at: time(1), updated_at: time(2), spam: true, read: false },
      ...{ country: "DE", attached: true, aside: null, sender: null },
      numbers: [0, -1, 0.1, 1e21, 2 ** 53 - 1],
      nested: { deep: [[{ x: null }], {}, []], yes: true, no: false, nothing: null },
      fields: awkward.flatMap((text) => [field("text", text), field(text, "key")]),
    };
    await driver.commit([put("submissions", "s", value)]);
    assert.deepEqual((await one(driver, "submissions", "s"))?.value, value);
  }),

  storageCase("members named like Object's own stay data", async (driver) => {
    const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"x"}';
    await driver.commit([put("forms", "f", { ...JSON.parse(text), inner: JSON.parse(text) })]);
    const found = await one(driver, "forms", "f");
    assert.equal(JSON.stringify(found?.value.inner), text);
    assert.ok(Object.hasOwn(found?.value ?? {}, "__proto__"));
    assert.equal(({} as Value).polluted, undefined);
    assert.equal((await driver.get("forms", ["__proto__", "constructor"])).size, 0);
  }),

  storageCase("an absent column reads as null or absent, and is null to conditions", async (driver) => {
    await driver.commit([put("submissions", "s", { form_id: "f1", created_at: time(1) })]);
    assert.equal((await one(driver, "submissions", "s"))?.value.country ?? null, null);
    const where = [{ column: "country", op: "in", value: [null] } as const];
    const query = { index: "form", equals: { form_id: "f1" }, order: "asc", limit: 5 } as const;
    assert.deepEqual(idsOf(await driver.page("submissions", { ...query, where })), ["s"]);
  }),

  storageCase("ids may hold any character and are told apart exactly", async (driver) => {
    const ids = awkward
      .filter((id) => id !== "")
      .concat("Ab", "aB", "ab", "a/b", "a:b", "a\\b", "../x", ".", "a?b", "con");
    ids.push("x".repeat(300), `${"x".repeat(299)}y`);
    await driver.commit(ids.map((id) => put("marks", id, { expires_at: time(1), of: id })));
    const found = await driver.get("marks", ids);
    for (const id of ids) assert.equal(found.get(id)?.value.of, id);
    const listed = await driver.page("marks", { index: "expiry", equals: {}, order: "asc", limit: 100 });
    assert.deepEqual(idsOf(listed).sort(), [...ids].sort());
    await driver.commit(ids.map((id) => ({ op: "remove", collection: "marks", id }) as const));
    assert.equal((await driver.get("marks", ids)).size, 0);
  }),

  storageCase("an id or column that can't be kept as it is, is refused whole", async (driver) => {
    for (const text of ["a\0b", "a\ud800b"]) {
      assert.equal((await driver.get("forms", [text])).size, 0);
      const kept = await driver.commit([put("forms", text, { name: "x" })]).then(
        () => true,
        () => false,
      );
      assert.equal((await driver.get("forms", [text])).has(text), kept);
    }
    for (const id of ["a", "ab", "a\ufffdb"]) assert.equal((await driver.get("forms", [id])).size, 0);
  }),

  storageCase("values of 200 KB are kept whole", async (driver) => {
    const html = `<p>${"žöü€😀".repeat(20_000)}</p>`;
    await driver.commit([put("forms", "f", { team_id: "t1", created_at: time(1), html }), submission("s", 1)]);
    assert.equal((await one(driver, "forms", "f"))?.value.html, html);
    const [row] = await driver.page("forms", { index: "team", equals: { team_id: "t1" }, order: "asc", limit: 1 });
    assert.equal(row?.value.html, html);
  }),

  storageCase("nobody can alter the store through a value", async (driver) => {
    const value = { team_id: "t1", created_at: time(1), list: ["a"] };
    const writing = driver.commit([put("forms", "f", value)]);
    value.list.push("after the call");
    value.team_id = "t2";
    await writing;
    value.list.push("after the commit");
    const first = await one(driver, "forms", "f");
    (first!.value.list as string[]).push("after get");
    (first!.value as { team_id: string }).team_id = "t3";
    const page = await driver.page("forms", { index: "team", equals: { team_id: "t1" }, order: "asc", limit: 1 });
    (page[0]!.value.list as string[]).push("after page");
    assert.deepEqual((await one(driver, "forms", "f"))?.value, { team_id: "t1", created_at: time(1), list: ["a"] });
  }),

  storageCase("open twice and close twice are fine", async (driver) => {
    await driver.commit([put("forms", "f", { name: "kept" })]);
    await Promise.all([driver.open(), driver.open()]);
    assert.equal((await one(driver, "forms", "f"))?.value.name, "kept");
    await driver.close();
    await driver.close();
  }),

  storageCase("a collection, index or pin that does not exist is an error", async (driver) => {
    const query = { order: "asc", limit: 1 } as const;
    await assert.rejects(driver.get("nothing", ["a"]), /unknown collection/);
    await assert.rejects(driver.commit([put("nothing", "a", {})]), /unknown collection/);
    await assert.rejects(driver.page("forms", { ...query, index: "nothing", equals: {} }), /unknown index/);
    await assert.rejects(driver.page("forms", { ...query, index: "team", equals: {} }), /pins team_id/);
    await assert.rejects(
      driver.count("forms", { index: "all", equals: { team_id: "t" }, budgetMs: 100 }),
      /pins nothing/,
    );
  }),
];
