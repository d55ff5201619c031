import { describe, expect, it } from "vitest";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { freshSchema, withPostgres } from "../../../_support/postgres-schema.ts";
import { fewAndMany, plansAsOfFew, type ScaledStore, scaledStore, stepsOf } from "../../../_support/scaled-store.ts";
import { postgresSql } from "../../../bench/generate.mjs";
import { watchPool } from "../../../bench/plans.mjs";

/** The index that each question reads its rows by. */
const indexes: Record<string, string> = {
  "newest page": "submissions_form_spam",
  "deep cursor page": "submissions_form_spam",
  "spam page": "submissions_form_spam",
  "delivery log page": "jobs_target_status",
  "delivery log, deep": "jobs_target_status",
  "delivery log, failing": "jobs_target_status",
  "field statistics": "submissions_form_spam",
  retrieve: "submissions_pkey",
  "retrieve a delivery": "jobs_submission",
};

withPostgres((pool) => {
  async function storeOf(rows: number): Promise<ScaledStore> {
    const schema = freshSchema();
    const watched = watchPool(pool);
    const client = await pool.connect();
    try {
      const storage = postgresStorage({ pool: watched.pool, schema });
      const store = await scaledStore(storage, postgresSql(client, schema), watched.plans, rows);
      // The planner knows such tables, because autovacuum looks at them.
      for (const table of ["submissions", "jobs"]) await client.query(`ANALYZE ${schema}.${table}`);
      return store;
    } finally {
      client.release();
    }
  }

  describe("a form with very many submissions in PostgreSQL", () => {
    const stores = fewAndMany(storeOf);

    for (const [question, index] of Object.entries(indexes)) {
      it(`answers "${question}" from an index, reading as much as in a small form`, async () => {
        const plans = await plansAsOfFew(stores(), question);
        // Tables of a few rows, such as that of the forms, are read as a whole, and should be.
        const large = plans.filter(({ sql }) => /"?\.\W*(submissions|jobs)\b/.test(sql));
        const steps = stepsOf(large).join("\n");
        // Of the runs of a merged index, that of the rows without a value is sorted; there are none.
        expect(steps.replace(/Sort {2}.*\n.*Sort Key.*\n.*Index Scan .*\n.*spam IS NULL/g, "")).not.toMatch(
          /Sort {2}\(/,
        );
        expect(steps).toMatch(new RegExp(`Index Scan (Backward )?using ${index} `));
        expect(steps).not.toMatch(/Seq Scan|Bitmap/);
      });
    }
  });
});
