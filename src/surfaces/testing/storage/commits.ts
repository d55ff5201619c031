import assert from "node:assert/strict";
import type { StorageDriver, Write } from "../../../drivers/storage/types.ts";
import type { Suite } from "../suite.ts";
import { one, put, storageCase, submission, time } from "./fixtures.ts";

const remove = (id: string, expect?: number): Write => ({ op: "remove", collection: "forms", id, expect });
const add = (id: string, by: number, n = 0): Write => ({ op: "add", id, by, at: time(n) });
const stale = (id: string): object => ({ name: "StaleWriteError", collection: "forms", id });

export const commitCases: Suite<StorageDriver> = [
  storageCase("of several rows, a stale write names the one that somebody else changed once", async (driver) => {
    await driver.commit(["a", "b", "c"].map((id) => put("forms", id, { n: 1 })));
    const version = (await one(driver, "forms", "b"))?.version ?? 0;
    await driver.commit([put("forms", "b", { n: 2 }, version)]);
    const writes = ["a", "b", "c"].map((id) => put("forms", id, { n: 3 }, version));
    await assert.rejects(driver.commit(writes), stale("b"));
    assert.deepEqual((await one(driver, "forms", "a"))?.value.n, 1);
  }),
  storageCase("a version starts at 1 and grows with every put", async (driver) => {
    await driver.commit([put("forms", "f", { n: 1, old: true })]);
    await driver.commit([put("forms", "f", { n: 2 })]);
    const found = await one(driver, "forms", "f");
    assert.equal(found?.version, 2);
    assert.equal(found?.value.n, 2);
    assert.ok(!("old" in (found?.value ?? {})), "a put replaces the whole value");
    await driver.commit([remove("f")]);
    assert.equal(await one(driver, "forms", "f"), undefined);
    await driver.commit([put("forms", "f", { n: 3 }, null)]);
    assert.equal((await one(driver, "forms", "f"))?.version, 1);
  }),

  storageCase("an expectation that does not hold refuses the write", async (driver) => {
    await driver.commit([put("forms", "new", { n: 1 }, null)]);
    await assert.rejects(driver.commit([put("forms", "new", { n: 2 }, null)]), stale("new"));
    await assert.rejects(driver.commit([put("forms", "new", { n: 2 }, 2)]), stale("new"));
    await assert.rejects(driver.commit([put("forms", "absent", { n: 2 }, 1)]), stale("absent"));
    await assert.rejects(driver.commit([remove("new", 2)]), stale("new"));
    await assert.rejects(driver.commit([remove("absent", 1)]), stale("absent"));
    assert.deepEqual(
      [...(await driver.get("forms", ["new", "absent"])).values()].map((row) => row.value.n),
      [1],
    );
    await driver.commit([put("forms", "new", { n: 2 }, 1)]);
    await driver.commit([put("forms", "new", { n: 3 }, 2)]);
    await driver.commit([remove("new", 3), remove("absent")]);
    assert.equal(await one(driver, "forms", "new"), undefined);
  }),

  storageCase("a commit with one stale write leaves nothing behind", async (driver) => {
    await driver.commit([put("forms", "kept", { n: 1 }), put("forms", "contended", { n: 1 }), add("c", 5, 1)]);
    const writes: Write[] = [
      put("forms", "new", { n: 2 }),
      put("forms", "kept", { n: 2 }),
      add("c", 1, 9),
      add("fresh", 1),
      submission("s", 1),
      put("forms", "contended", { n: 2 }, 7),
      put("forms", "later", { n: 2 }),
    ];
    await assert.rejects(driver.commit(writes), stale("contended"));
    const found = await driver.get("forms", ["new", "kept", "contended", "later"]);
    assert.deepEqual([...found.keys()].sort(), ["contended", "kept"]);
    assert.deepEqual([found.get("kept")?.version, found.get("kept")?.value.n], [1, 1]);
    assert.deepEqual((await one(driver, "counters", "c"))?.value, { n: 5, at: time(1) });
    assert.equal(await one(driver, "counters", "fresh"), undefined);
    const query = { index: "form", equals: { form_id: "f1" }, budgetMs: 5000 } as const;
    assert.equal((await driver.count("submissions", query)).count, 0);
    // The store is in order afterwards.
    await driver.commit([put("forms", "new", { n: 3 }, null)]);
  }),

  storageCase("a value that is no JSON leaves nothing behind", async (driver) => {
    const loop: Record<string, unknown> = {};
    loop.loop = loop;
    await assert.rejects(driver.commit([put("forms", "a", { n: 1 }), put("forms", "b", loop)]));
    assert.equal((await driver.get("forms", ["a", "b"])).size, 0);
    await driver.commit([put("forms", "a", { n: 1 }, null)]);
  }),

  storageCase("writes of one commit see each other, in order", async (driver) => {
    await driver.commit([
      put("forms", "f", { n: 1 }, null),
      put("forms", "f", { n: 2 }, 1),
      put("forms", "f", { n: 3 }),
    ]);
    assert.deepEqual([(await one(driver, "forms", "f"))?.version, (await one(driver, "forms", "f"))?.value.n], [3, 3]);
    await driver.commit([remove("f", 3), put("forms", "f", { n: 4 }, null)]);
    assert.deepEqual([(await one(driver, "forms", "f"))?.version, (await one(driver, "forms", "f"))?.value.n], [1, 4]);
    await driver.commit([put("forms", "g", { n: 1 }), remove("g", 1)]);
    assert.equal(await one(driver, "forms", "g"), undefined);
    await assert.rejects(driver.commit([put("forms", "h", {}), put("forms", "h", {}, null)]), stale("h"));
  }),

  storageCase("an empty commit is fine", async (driver) => {
    await driver.commit([]);
  }),

  storageCase("counters add up and keep the greatest time", async (driver) => {
    await driver.commit([add("c", 2, 5), add("c", 3, 4)]);
    await driver.commit([add("c", -1, 3), add("other", 1, 9)]);
    const found = await driver.get("counters", ["c", "other", "missing"]);
    assert.deepEqual(found.get("c")?.value, { n: 4, at: time(5) });
    assert.deepEqual(found.get("other")?.value, { n: 1, at: time(9) });
    assert.equal(found.size, 2);
    await driver.commit([{ op: "remove", collection: "counters", id: "c" }]);
    await driver.commit([add("c", 2 ** 40, 1)]);
    assert.deepEqual((await one(driver, "counters", "c"))?.value, { n: 2 ** 40, at: time(1) });
  }),

  storageCase("1,000 concurrent additions all count", async (driver) => {
    await Promise.all(Array.from({ length: 1000 }, (_, i) => driver.commit([add("c", (i % 3) + 1, (i * 7) % 1000)])));
    const sum = Array.from({ length: 1000 }, (_, i) => (i % 3) + 1).reduce((a, b) => a + b, 0);
    assert.deepEqual((await one(driver, "counters", "c"))?.value, { n: sum, at: time(999) });
  }),

  storageCase("1,000 concurrent optimistic increments all survive", async (driver) => {
    // Five writers for each row: of n that begin at once one is done after each turn, so more cost their square and show nothing new.
    const ids = Array.from({ length: 200 }, (_, i) => `f${i}`);
    await driver.commit(ids.map((id) => put("forms", id, { n: 0 })));
    async function increment(id: string): Promise<void> {
      for (;;) {
        const found = await one(driver, "forms", id);
        try {
          return await driver.commit([put("forms", id, { n: Number(found?.value.n) + 1 }, found?.version)]);
        } catch (error) {
          if ((error as Error).name !== "StaleWriteError") throw error;
        }
      }
    }
    await Promise.all(Array.from({ length: 1000 }, (_, i) => increment(ids[i % ids.length]!)));
    const found = await driver.get("forms", ids);
    for (const id of ids) assert.deepEqual([found.get(id)?.value.n, found.get(id)?.version], [5, 6]);
  }),

  storageCase("what is committed together is seen together", async (driver) => {
    const both = (n: number): Write[] => [put("forms", "a", { n }), submission("between", n), put("forms", "z", { n })];
    await driver.commit(both(0));
    let writing = true;
    const writer = (async () => {
      for (let n = 1; n <= 100; n++) await driver.commit(both(n));
    })().finally(() => {
      writing = false;
    });
    try {
      while (writing) {
        const found = await driver.get("forms", ["a", "z"]);
        assert.equal(found.get("a")?.value.n, found.get("z")?.value.n);
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      await writer;
    }
  }),
];
