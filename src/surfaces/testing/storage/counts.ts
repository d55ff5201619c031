import assert from "node:assert/strict";
import type { Count, CountQuery, StorageDriver } from "../../../drivers/storage/types.ts";
import type { Suite } from "../suite.ts";
import { commitMany, field, padded, storageCase, submission } from "./fixtures.ts";

const form = { index: "form", equals: { form_id: "f1" }, budgetMs: 60_000 } as const;

const groupsOf = (count: Count): Record<string, number> =>
  Object.fromEntries((count.groups ?? []).map(({ key, count: n }) => [key === null ? "(null)" : `=${key}`, n]));

async function grouped(driver: StorageDriver, query: Partial<CountQuery>): Promise<Record<string, number>> {
  const count = await driver.count("submissions", { ...form, ...query });
  assert.equal(count.exact, true);
  assert.equal(
    count.count,
    (count.groups ?? []).reduce((sum, group) => sum + group.count, 0),
  );
  return groupsOf(count);
}

const HOUR = 3600;

export const countCases: Suite<StorageDriver> = [
  storageCase("counts are of the partition, and have groups only when asked", async (driver) => {
    const none = await driver.count("submissions", form);
    assert.deepEqual(none, { count: 0, exact: true });
    assert.deepEqual(await driver.count("submissions", { ...form, groupBy: { column: "country" } }), {
      ...none,
      groups: [],
    });
    await driver.commit([submission("a", 1), submission("b", 2), submission("c", 3, { form_id: "f2" })]);
    assert.deepEqual(await driver.count("submissions", form), { count: 2, exact: true });
  }),

  storageCase("groups are by a column, its prefix or a field's first value", async (driver) => {
    await driver.commit([
      submission("a", 0, {
        country: "DE",
        fields: [field("plan", "pro"), field("plan", "free")],
        source: [field("utm_source", "news"), field("plan", "other")],
      }),
      submission("b", 25 * HOUR, { country: "DE", read: true, fields: [field("plan", "Pro")] }),
      submission("c", 26 * HOUR, { country: "", read: null, fields: [field("other", "pro")] }),
      submission("d", 24 * 31 * HOUR, { country: null, fields: [field("plan", "")] }),
      submission("e", 24 * 31 * HOUR, { country: "__proto__", fields: [field("plan", "pro"), field("plan", "pro")] }),
    ]);
    const countries = [
      ["=DE", 2],
      ["=", 1],
      ["(null)", 1],
      ["=__proto__", 1],
    ] as const;
    assert.deepEqual(await grouped(driver, { groupBy: { column: "country" } }), Object.fromEntries(countries));
    assert.deepEqual(await grouped(driver, { groupBy: { column: "read" } }), { "=false": 3, "=true": 1, "(null)": 1 });
    assert.deepEqual(await grouped(driver, { groupBy: { column: "created_at", prefix: 7 } }), {
      "=2026-01": 3,
      "=2026-02": 2,
    });
    const days = { "=2026-01-01": 1, "=2026-01-02": 2, "=2026-02-01": 2 };
    assert.deepEqual(await grouped(driver, { groupBy: { column: "created_at", prefix: 10 } }), days);
    const plans = { "=pro": 2, "=Pro": 1, "=": 1, "(null)": 1 };
    assert.deepEqual(await grouped(driver, { groupBy: { field: "plan" } }), plans);
    const sources = await grouped(driver, { groupBy: { field: "utm_source", of: "source" } });
    assert.deepEqual(sources, { "=news": 1, "(null)": 4 });
    const pro = [{ field: "plan", op: "contains", value: "pro" } as const];
    assert.deepEqual(await grouped(driver, { where: pro, groupBy: { column: "country" } }), {
      "=DE": 2,
      "=__proto__": 1,
    });
    const german = [{ column: "country", op: "in", value: ["DE"] } as const];
    assert.deepEqual(await grouped(driver, { where: german, groupBy: { column: "read" } }), {
      "=false": 1,
      "=true": 1,
    });
    assert.deepEqual(await grouped(driver, { where: german, groupBy: { field: "plan" } }), { "=pro": 1, "=Pro": 1 });
  }),

  storageCase("a count is called exact only when it is", async (driver) => {
    await commitMany(
      driver,
      Array.from({ length: 3000 }, (_, i) => submission(padded(i), i, { fields: [field("n", String(i % 3))] })),
    );
    const where = [{ field: "n", op: "in", value: ["0", "1"] } as const];
    for (const groupBy of [undefined, { field: "n" }]) {
      const whole = await driver.count("submissions", { ...form, where, groupBy });
      assert.deepEqual([whole.count, whole.exact], [2000, true]);
      const hasty = await driver.count("submissions", { ...form, where, groupBy, budgetMs: 0 });
      assert.ok(hasty.exact ? hasty.count === 2000 : hasty.count <= 2000);
    }
    const days = await grouped(driver, { groupBy: { column: "created_at", prefix: 10 } });
    assert.deepEqual(days, { "=2026-01-01": 3000 });
  }),
];
