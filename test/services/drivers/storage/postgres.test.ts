import { describe, expect, it } from "vitest";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { idsOf, job, put, time } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";
import { POSTGRES_URL } from "../../../_support/postgres.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";

withPostgres((pool) => {
  describe("postgresStorage over a pool of pg", () => {
    for (const c of storageSuite)
      it(c.name, () => c.run(() => postgresStorage({ pool, schema: freshSchema(), timeoutMs: PATIENT_MS })), 60_000);
  });

  describe("postgresStorage with a connection string", () => {
    for (const c of storageSuite) {
      it(
        c.name,
        () =>
          c.run(() =>
            postgresStorage({ connectionString: POSTGRES_URL, schema: freshSchema(), timeoutMs: PATIENT_MS }),
          ),
        60_000,
      );
    }
  });

  describe("beside another process", () => {
    it("a claim passes over what the other is just claiming, and takes what stands behind it", async () => {
      const schema = freshSchema();
      const driver = postgresStorage({ pool, schema, timeoutMs: PATIENT_MS });
      await driver.open();
      await driver.commit([1, 2, 3, 4, 5].map((n) => job(`j${n}`, n, { target: "busy" })));
      const other = await pool.connect();
      await other.query("BEGIN");
      await other.query(`SELECT id FROM ${schema}.jobs WHERE id IN ('j1', 'j2') FOR UPDATE`);
      const query = { lane: "webhook", leaseMs: 1, limit: 9, exclude: [], perTarget: 2, now: Date.parse(time(9)) };
      expect(idsOf((await driver.claim(query)).jobs)).toEqual(["j3", "j4"]);
      expect(idsOf((await driver.claim({ ...query, perTarget: 1 })).jobs)).toEqual(["j5"]);
      expect(idsOf((await driver.claim(query)).jobs)).toEqual([]);
      await other.query("ROLLBACK");
      other.release();
      expect(idsOf((await driver.claim({ ...query, now: query.now - 1 })).jobs)).toEqual(["j1", "j2"]);
    });

    it("a commit that loses a race for two rows tries again", async () => {
      const schema = freshSchema();
      const driver = postgresStorage({ pool, schema, timeoutMs: PATIENT_MS });
      await driver.open();
      await driver.commit([put("forms", "a", { n: 0 }), put("forms", "b", { n: 0 })]);
      const other = await pool.connect();
      await other.query("BEGIN");
      await other.query(`UPDATE ${schema}.forms SET data = '{"n":1}' WHERE id = 'b'`);
      const committing = driver.commit([put("forms", "a", { n: 2 }), put("forms", "b", { n: 2 })]);
      const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}%'`;
      while ((await pool.query(waiting)).rows[0].n === 0);
      // A circle: one of the two is told so after a second, and it may be either.
      const circle = other.query(`UPDATE ${schema}.forms SET data = '{"n":1}' WHERE id = 'a'`);
      const end = await circle.then(
        () => "COMMIT",
        () => "ROLLBACK",
      );
      await other.query(end);
      other.release();
      await committing;
      const found = await driver.get("forms", ["a", "b"]);
      expect([found.get("a")?.value.n, found.get("b")?.value.n]).toEqual([2, 2]);
    });
  });
});
