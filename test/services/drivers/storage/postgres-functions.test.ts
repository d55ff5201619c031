import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import type { ClaimQuery, StorageDriver, Write } from "../../../../src/drivers/storage/types.ts";
import { collections } from "../../../../src/model/collections.ts";
import { idsOf, job, one, padded, put, submission, time } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { POSTGRES_URL } from "../../../_support/postgres.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";
import { explainedPool, type Scan } from "./_explained.ts";

withPostgres((shared) => {
  describe("plans that were made while a table was empty, when it is not", () => {
    const schema = freshSchema();
    let driver: StorageDriver;
    let explained: Awaited<ReturnType<typeof explainedPool>>;
    const due = (n: number, target: string): Write => job(`due${padded(n)}`, n, { target });
    const query: ClaimQuery = {
      ...{ lane: "webhook", leaseMs: 1, limit: 5, exclude: ["dead"], perTarget: 2 },
      now: Date.parse(time(2_000)),
    };
    const row = (collection: string, id: string): Write =>
      collection === "jobs"
        ? job(id, null)
        : collection === "submissions"
          ? submission(id, 1)
          : put(collection, id, {});

    /** Every kind of write to every table, of rows that are there and rows that are not. */
    async function writeAll(): Promise<void> {
      for (const collection of Object.keys(collections)) {
        if (collection === "counters") {
          await driver.commit([{ op: "add", id: "a", by: 1, at: time(1) }]);
          await driver.commit([{ op: "remove", collection, id: "a" }]);
          continue;
        }
        await driver.commit([{ ...row(collection, "a"), expect: null } as Write]);
        await driver.commit([row(collection, "a")]);
        await driver.commit([{ ...row(collection, "a"), expect: 2 } as Write]);
        await driver.commit([{ op: "remove", collection, id: "a", expect: 3 }]);
        await driver.commit([row(collection, "a")]);
        await driver.commit([{ op: "remove", collection, id: "a" }]);
      }
    }

    beforeAll(async () => {
      explained = await explainedPool();
      driver = postgresStorage({ pool: explained.pool, schema, timeoutMs: PATIENT_MS });
      await driver.open();
      // The planner knows that they are empty, and nobody is to come and see how large they have grown.
      for (const collection of Object.keys(collections)) {
        await shared.query(`ALTER TABLE ${schema}.${collection} SET (autovacuum_enabled = false)`);
        await shared.query(`ANALYZE ${schema}.${collection}`);
      }
      await writeAll();
      expect((await driver.claim(query)).jobs).toEqual([]);
      // So many that a claim goes from target to target.
      await driver.commit(Array.from({ length: 300 }, (_, i) => due(i, "dead")));
      expect((await driver.claim(query)).jobs).toEqual([]);
      for (const collection of Object.keys(collections)) {
        await shared.query(
          collection === "counters"
            ? `INSERT INTO ${schema}.counters SELECT 'c' || i, 0, 1, '' FROM generate_series(1, 20000) i`
            : `INSERT INTO ${schema}.${collection} (id, version, data) SELECT 'x' || i, 1, '{}' FROM generate_series(1, 20000) i`,
        );
      }
      await shared.query(
        `INSERT INTO ${schema}.jobs (id, version, lane, target, due_at, data)
         SELECT 'y' || i, 1, 'webhook', 'w' || i % 20, '${time(1_000)}', '{}' FROM generate_series(1, 100000) i`,
      );
    }, 120_000);
    afterAll(async () => explained?.pool.end());

    /** How many index entries and rows a scan has looked at. */
    const read = (scan: Scan): number =>
      (scan["Actual Rows"] + (scan["Rows Removed by Filter"] ?? 0)) * scan["Actual Loops"];

    it("writes find their rows by key", async () => {
      const scans = await explained.scansOf(writeAll);
      // An update, a removal and a removal of one version; of a counter, the searches for a free and an unused slot, and a removal.
      expect(scans.map((scan) => scan["Index Name"]).sort()).toEqual(
        Object.keys(collections)
          .flatMap((name) => Array.from({ length: 3 }, () => `${name}_pkey`))
          .sort(),
      );
      expect(scans.filter((scan) => !scan["Index Cond"])).toEqual([]);
      expect(scans.filter((scan) => read(scan) > 1)).toEqual([]);
    });

    it("a claim goes by the work list, from target to target where the front is blocked, and by key", async () => {
      let found: string[] = [];
      const scans = await explained.scansOf(async () => {
        found = idsOf((await driver.claim(query)).jobs);
      });
      expect(found).toHaveLength(5);
      expect([...new Set(scans.map((scan) => scan["Index Name"]))].sort()).toEqual([
        "jobs_due",
        "jobs_due_target",
        "jobs_pkey",
      ]);
      // The lane stands as a parameter: it is the plan that was kept.
      expect(scans.filter((scan) => !/\$\d|\.(id|target)\b/.test(scan["Index Cond"] ?? ""))).toEqual([]);
      expect(scans.filter((scan) => read(scan) > 256)).toEqual([]);
    });
  });

  describe("a host's search path", () => {
    it("may hold tables and functions of the same names", async () => {
      const [schema, decoys] = [freshSchema(), freshSchema()];
      const pool = new pg.Pool({ connectionString: POSTGRES_URL, max: 1, options: `-c search_path=${decoys}` });
      try {
        await shared.query(`CREATE SCHEMA ${decoys}; CREATE TABLE ${decoys}.jobs (id int); CREATE TABLE ${decoys}.forms (id int);
          CREATE FUNCTION ${decoys}.cardinality(text[]) RETURNS int LANGUAGE sql AS 'SELECT 1 / 0';
          CREATE FUNCTION ${decoys}.unnest(text[]) RETURNS SETOF text LANGUAGE sql AS 'SELECT (1 / 0)::text'`);
        const driver = postgresStorage({ pool, schema, timeoutMs: PATIENT_MS });
        await driver.open();
        await driver.commit([put("forms", "f", { n: 1 }, null), job("j", 1)]);
        await expect(driver.commit([put("forms", "f", {}, null)])).rejects.toMatchObject({ id: "f" });
        const query = { lane: "webhook", leaseMs: 1, limit: 5, exclude: [], perTarget: 2, now: Date.parse(time(2)) };
        expect(idsOf((await driver.claim(query)).jobs)).toEqual(["j"]);
      } finally {
        await pool.end();
      }
    });
  });

  it("a commit may write one row more often than a statement lists calls", async () => {
    const driver = postgresStorage({ pool: shared, schema: freshSchema(), timeoutMs: PATIENT_MS });
    await driver.open();
    const writes = Array.from({ length: 1_200 }, (_, n) => put("forms", "f", { n }, n === 0 ? null : n));
    await driver.commit(writes);
    expect(await one(driver, "forms", "f")).toMatchObject({ version: 1_200, value: { n: 1_199 } });
    await expect(driver.commit([...writes.slice(0, 900), put("forms", "g", {}, 7)])).rejects.toThrow(/stale/);
    expect((await one(driver, "forms", "f"))?.version).toBe(1_200);
  });
});
