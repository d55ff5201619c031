import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { Condition, Count, CountQuery, PageQuery, StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { type CollectionSpec, collections } from "../../../../src/model/collections.ts";
import { DeliveryStatus } from "../../../../src/model/jobs.ts";
import {
  commitMany,
  field,
  idsOf,
  job,
  padded,
  submission,
  time,
} from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";

const merged = Object.entries<CollectionSpec>(collections).flatMap(([collection, { indexes }]) =>
  Object.entries(indexes).flatMap(([index, { equals, sort, merges }]) =>
    merges ? [{ collection, index, equals, sort, merges, finer: indexes[merges.index] }] : [],
  ),
);

/** Rows in long, short and empty runs: most are no spam, all spam lies in the middle, rows without a flag at both ends. */
const ROWS = 3_000;
const flagOf = (i: number): boolean | null => (i % 997 === 0 ? null : i > 1_200 && i < 1_900 && i % 4 > 0);
const rows = Array.from({ length: ROWS }, (_, i) => {
  const spam = flagOf(i);
  const fields = [field("n", String(i % 50))];
  // Four rows to a moment, so that ids decide between runs too.
  return submission(padded((i * 7) % ROWS), Math.floor(i / 4), { spam, country: i % 3 === 0 ? "DE" : null, fields });
});
const jobs = Array.from({ length: ROWS }, (_, i) => {
  const status = DeliveryStatus.options[i % 100 === 3 ? 2 : i > 2_500 ? i % 5 : 0];
  return job(padded((i * 7) % ROWS), null, { status, target: `w${i % 2}`, occurred_at: time(Math.floor(i / 4)) });
});

async function filled(driver: StorageDriver): Promise<StorageDriver> {
  await driver.open();
  await commitMany(driver, [...rows, ...jobs]);
  return driver;
}

const lists: [collection: string, Pick<PageQuery, "index" | "equals">, sort: string][] = [
  ["submissions", { index: "form", equals: { form_id: "f1" } }, "created_at"],
  ["submissions", { index: "team", equals: { team_id: "t1" } }, "created_at"],
  ["jobs", { index: "target", equals: { target: "w1" } }, "occurred_at"],
];
const between = (sort: string): Condition[] => [
  { column: sort, op: "gte", value: time(100) },
  { column: sort, op: "lt", value: time(700) },
];

/** Every page of a list, by ids. */
async function walk(driver: StorageDriver, collection: string, query: Omit<PageQuery, "after">, sort: string) {
  const pages: string[][] = [];
  for (let after: PageQuery["after"]; ; ) {
    const page = await driver.page(collection, { ...query, after });
    pages.push(idsOf(page));
    const last = page.at(-1);
    if (!last) return pages;
    after = { sort: String(last.value[sort]), id: last.id };
  }
}

const inOrder = ({ groups, ...count }: Count): Count => ({
  ...count,
  ...(groups && { groups: [...groups].sort((a, b) => (String(a.key) < String(b.key) ? -1 : 1)) }),
});

function readsAsMemory(name: string, create: () => StorageDriver): void {
  describe(`merged indexes of ${name}`, () => {
    let driver: StorageDriver;
    let memory: StorageDriver;
    beforeAll(async () => {
      [driver, memory] = [await filled(create()), await filled(memoryStorage())];
    }, 120_000);
    afterAll(() => driver.close());

    for (const [collection, list, sort] of lists) {
      const conditions: Record<string, Condition[]> = {
        "as it is": [],
        "within bounds": between(sort),
        "by a column": [{ column: collection === "jobs" ? "status" : "country", op: "in", value: ["DE", "retrying"] }],
        "by a field": [{ field: "n", op: "eq", value: "7" }, ...between(sort)],
      };
      for (const [how, where] of Object.entries(conditions)) {
        it(`are ${collection}.${list.index} page by page, ${how}`, async () => {
          for (const order of ["asc", "desc"] as const) {
            for (const limit of [40, 250]) {
              const query = { ...list, where, order, limit };
              const expected = await walk(memory, collection, query, sort);
              if (how === "as it is") expect(expected.flat().length).toBeGreaterThan(1_000);
              expect(await walk(driver, collection, query, sort)).toEqual(expected);
            }
          }
        }, 300_000);

        it(`count and group ${collection}.${list.index}, ${how}`, async () => {
          const column = collection === "jobs" ? "status" : "spam";
          for (const groupBy of [undefined, { column }, { column: sort, prefix: 16 }, { field: "n" }]) {
            const query: CountQuery = { ...list, where, groupBy, budgetMs: 60_000 };
            const expected = await memory.count(collection, query);
            expect(expected.exact).toBe(true);
            expect(inOrder(await driver.count(collection, query))).toEqual(inOrder(expected));
          }
        }, 300_000);
      }
    }
  });
}

describe("an index that is merged", () => {
  it("has the sort of the finer one, which pins one column more", () => {
    expect(merged.map(({ collection, index }) => `${collection}.${index}`)).toEqual([
      "submissions.form",
      "submissions.team",
      "jobs.target",
    ]);
    for (const { equals, sort, finer } of merged) {
      expect(finer?.sort).toBe(sort);
      expect(finer?.equals.slice(0, -1)).toEqual(equals);
      expect(finer?.merges).toBeUndefined();
    }
  });

  it("knows every status of a delivery", () => {
    const known = merged.find(({ collection }) => collection === "jobs")?.merges.values;
    expect([...(known ?? [])].sort()).toEqual([...DeliveryStatus.options].sort());
  });

  it("loses no row: what would be in none of its runs is refused by every driver", async () => {
    for (const driver of [memoryStorage(), sqliteStorage({ database: new DatabaseSync(":memory:") })]) {
      await driver.open();
      for (const status of ["done", null, undefined]) {
        await expect(driver.commit([job("j", null, { status })])).rejects.toThrow(/jobs\.status must be one of succ/);
      }
      await driver.commit([submission("s", 1, { spam: undefined })]);
      const page = await driver.page("submissions", { ...lists[0]![1], order: "asc", limit: 9 });
      expect(idsOf(page)).toEqual(["s"]);
      await driver.close();
    }
  });
});

readsAsMemory("SQLite", () => sqliteStorage({ database: new DatabaseSync(":memory:") }));
withMysql((pool) => {
  readsAsMemory("MariaDB", () => mysqlStorage({ pool, prefix: freshPrefix(), timeoutMs: PATIENT_MS }));
});
withPostgres((pool) => {
  readsAsMemory("PostgreSQL", () => postgresStorage({ pool, schema: freshSchema(), timeoutMs: PATIENT_MS }));
});
