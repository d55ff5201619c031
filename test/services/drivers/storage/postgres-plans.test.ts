import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PoolLike, postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { indexSpec } from "../../../../src/model/collections.ts";
import { commitMany, padded, time } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";
import { type ExplainedPool, explainedPool } from "./_explained.ts";
import { flood, form, pages, rows } from "./_pages.ts";

interface Plan {
  readonly "Node Type": string;
  readonly "Plan Rows"?: number;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: Plan[];
}

const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];

withPostgres((pool) => {
  describe("on 20,000 rows, the server answers from an index", () => {
    const schema = freshSchema();
    let seen: { sql: string; params: unknown[] }[] = [];
    const spy: PoolLike = {
      async connect() {
        const client = await pool.connect();
        return {
          release: (destroy) => client.release(destroy),
          query(sql, params = []) {
            seen.push({ sql, params });
            return client.query(sql, params);
          },
        };
      },
    };
    const driver: StorageDriver = postgresStorage({ pool: spy, schema, timeoutMs: PATIENT_MS });

    beforeAll(async () => {
      await driver.open();
      await commitMany(driver, rows());
      // Statistics of an hour when nothing was due; then one target has a thousand.
      await pool.query(`ANALYZE ${schema}.submissions; ANALYZE ${schema}.jobs`);
      await commitMany(driver, flood());
    }, 120_000);

    /** The nodes of the plans of everything that `work` asks, that read tables of ours, under the settings that it asks for. */
    async function plansOf(work: () => Promise<unknown>): Promise<Plan[]> {
      seen = [];
      await work();
      const found: Plan[] = [];
      const client = await pool.connect();
      await client.query("BEGIN");
      for (const { sql, params } of seen) {
        if (sql.includes("set_config")) await client.query(sql, params);
        if (!sql.includes(schema)) continue;
        const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${sql}`, params);
        found.push(...nodes(rows[0]["QUERY PLAN"][0].Plan));
      }
      await client.query("ROLLBACK");
      client.release();
      return found;
    }
    /** Of two indexes that begin alike, either finds the rows without a value where core always writes one: there are none. */
    const indexes = (plans: readonly Plan[]): string[] => [
      ...new Set(
        plans
          .filter((plan) => !/spam IS NULL/.test(plan["Index Cond"] ?? ""))
          .flatMap((plan) => plan["Index Name"] ?? []),
      ),
    ];
    const scans = (plans: readonly Plan[]): Plan[] =>
      plans.filter((plan) => plan["Relation Name"] && /^(Seq Scan|Bitmap Heap Scan)$/.test(plan["Node Type"]));

    /**
     * Rows without a value where core always writes one are sorted, because the planner does not take null for a constant; and so
     * are the edges of a window, one for each run.
     */
    const sorts = (plan: Plan): boolean =>
      plan["Node Type"].includes("Sort") &&
      (plan["Plan Rows"] ?? 0) > 3 &&
      !plan.Plans?.every((below) => /spam IS NULL/.test(below["Index Cond"] ?? ""));

    for (const [name, index, collection, query] of pages) {
      it(`${name}, without sorting`, async () => {
        const plans = await plansOf(() => driver.page(collection, query));
        expect(indexes(plans)).toEqual([index]);
        expect(scans(plans)).toEqual([]);
        expect(plans.filter(sorts)).toEqual([]);
        const { merges } = indexSpec(collection, query.index);
        const merged = plans.filter((plan) => plan["Node Type"] === "Merge Append");
        expect(new Set(merged.map((plan) => plan.Plans?.length))).toEqual(
          new Set(merges ? [merges.values.length] : []),
        );
      });
    }

    it("one row and many by id", async () => {
      expect(indexes(await plansOf(() => driver.get("submissions", [padded(7)])))).toEqual(["submissions_pkey"]);
      const many = await plansOf(() => driver.get("jobs", [padded(7), padded(8), "none"]));
      expect(indexes(many)).toEqual(["jobs_pkey"]);
      expect(scans(many)).toEqual([]);
      expect(indexes(await plansOf(() => driver.get("counters", ["a"])))).toEqual(["counters_pkey"]);
    });

    it("the forms with old submissions, 200 in one statement", async () => {
      const runs = Array.from({ length: 200 }, (_, i) => ({ equals: { form_id: `f${i}` }, before: time(1) }));
      const plans = await plansOf(() => driver.haveBefore!("submissions", { index: "form", runs }));
      expect(seen).toHaveLength(1);
      expect(indexes(plans)).toEqual(["submissions_form_spam"]);
      expect(scans(plans)).toEqual([]);
    });

    it("the next due time", async () => {
      expect(indexes(await plansOf(() => driver.nextDueAt("webhook")))).toEqual(["jobs_due"]);
    });

    describe("inside of its functions,", () => {
      let inside: ExplainedPool;
      let through: StorageDriver;
      beforeAll(async () => {
        inside = await explainedPool();
        through = postgresStorage({ pool: inside.pool, schema, timeoutMs: PATIENT_MS });
        await through.open();
      });
      afterAll(async () => inside?.pool.end());

      it("a claim, though its statistics know of nothing due", async () => {
        const query = {
          lane: "webhook",
          leaseMs: 1,
          limit: 5,
          exclude: ["dead"],
          perTarget: 2,
          now: Date.parse(time(2_000)),
        };
        const plans = await inside.scansOf(() => through.claim(query));
        expect(indexes(plans).sort()).toEqual(["jobs_due", "jobs_due_target", "jobs_pkey"]);
        expect(scans(plans)).toEqual([]);
      });

      it("writes to rows that are there", async () => {
        const row = (await through.get("jobs", [padded(7)])).get(padded(7))!;
        const plans = await inside.scansOf(() =>
          through.commit([{ op: "put", collection: "jobs", id: row.id, value: row.value, expect: row.version }]),
        );
        expect(indexes(plans)).toEqual(["jobs_pkey"]);
        expect(scans(plans)).toEqual([]);
      });
    });

    it("counts, by the index alone where nothing but the form is asked", async () => {
      await pool.query(`VACUUM ANALYZE ${schema}.submissions`);
      const count = { index: "form", equals: form, budgetMs: 60_000 } as const;
      const plain = await plansOf(() => driver.count("submissions", count));
      expect(scans(plain)).toEqual([]);
      expect(indexes(plain)).toEqual(["submissions_form_spam"]);
      const reads = plain.filter((plan) => plan["Relation Name"]).map((plan) => plan["Node Type"]);
      expect([...new Set(reads)]).toEqual(["Index Only Scan"]);
      expect(
        await driver.count("submissions", { ...count, where: [{ field: "plan", op: "eq", value: "pro" }] }),
      ).toEqual({
        count: 6_667,
        exact: true,
      });
    });
  });
});
