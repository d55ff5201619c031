import type { RowDataPacket } from "mysql2/promise";
import { beforeAll, describe, expect, it } from "vitest";
import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { indexSpec } from "../../../../src/model/collections.ts";
import { commitMany, padded, time } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { PATIENT_MS } from "../../../_support/postgres-schema.ts";
import { flood, form, pages, rows } from "./_pages.ts";

interface Plan extends RowDataPacket {
  readonly table: string | null;
  readonly type: string | null;
  readonly key: string | null;
  readonly Extra: string | null;
}

withMysql((pool) => {
  describe("on 20,000 rows, MariaDB answers from an index", () => {
    const prefix = freshPrefix();
    let seen: { sql: string; values: unknown[] }[] = [];
    const spy = {
      async getConnection() {
        const connection = await pool.getConnection();
        return {
          connection: connection.connection,
          release: () => connection.release(),
          destroy: () => connection.destroy(),
          query(options: { sql: string; values: unknown[] }) {
            seen.push(options);
            return connection.query(options as never);
          },
        };
      },
    };
    const driver: StorageDriver = mysqlStorage({ pool: spy, prefix, timeoutMs: PATIENT_MS });

    beforeAll(async () => {
      await driver.open();
      await commitMany(driver, rows());
      await pool.query(`ANALYZE TABLE ${prefix}submissions, ${prefix}jobs`);
      await commitMany(driver, flood());
    }, 180_000);

    /** How the server reads tables of ours for everything that `work` asks. */
    async function plansOf(work: () => Promise<unknown>): Promise<Plan[]> {
      seen = [];
      await work();
      const found: Plan[] = [];
      for (const { sql, values } of seen) {
        if (!sql.includes(prefix) || !/^\s*(SELECT|WITH|UPDATE|DELETE)/.test(sql)) continue;
        const [plan] = await pool.query<Plan[]>({ sql: `EXPLAIN ${sql}`, values });
        found.push(...plan.filter(({ table, type }) => table && type && !/^<|^(places|w|seen|run)$/.test(table)));
      }
      return found;
    }
    const indexes = (plans: readonly Plan[]): (string | null)[] => [...new Set(plans.map(({ key }) => key))].sort();
    const scans = (plans: readonly Plan[]): Plan[] => plans.filter(({ type }) => type === "ALL");

    for (const [name, index, collection, query] of pages) {
      it(name, async () => {
        const plans = await plansOf(() => driver.page(collection, query));
        expect(scans(plans)).toEqual([]);
        // Whole rows follow by their ids.
        expect(indexes(plans).filter((key) => key !== "PRIMARY")).toEqual([index.replace(`${collection}_`, "")]);
        if (indexSpec(collection, query.index).merges) return;
        expect(plans.filter(({ Extra }) => Extra?.includes("filesort"))).toEqual([]);
      });
    }

    it("one row and many by id", async () => {
      expect(indexes(await plansOf(() => driver.get("submissions", [padded(7)])))).toEqual(["PRIMARY"]);
      expect(indexes(await plansOf(() => driver.get("jobs", [padded(7), padded(8), "none"])))).toEqual(["PRIMARY"]);
      expect(indexes(await plansOf(() => driver.get("counters", ["a"])))).toEqual(["PRIMARY"]);
    });

    it("the next due time, and a claim behind a flood of one target", async () => {
      expect(indexes(await plansOf(() => driver.nextDueAt("webhook")))).toEqual(["due"]);
      const now = Date.parse(time(2_000));
      const query = { lane: "webhook", leaseMs: 1, limit: 5, exclude: ["dead"], perTarget: 2, now };
      const plans = await plansOf(() => driver.claim(query));
      expect(scans(plans)).toEqual([]);
      expect(indexes(plans)).toEqual(["due", "due_target"]);
    });

    it("counts, by the index alone where nothing but the form is asked", async () => {
      const plans = await plansOf(() => driver.count("submissions", { index: "form", equals: form, budgetMs: 60_000 }));
      expect(scans(plans)).toEqual([]);
      expect(indexes(plans)).toEqual(["form_spam"]);
      for (const { Extra } of plans) expect(Extra).toContain("Using index");
    });
  });
});
