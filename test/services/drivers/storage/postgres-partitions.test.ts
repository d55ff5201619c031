import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";
import { describePostgres, type TemporaryDatabase, temporaryDatabase } from "../../../_support/postgres.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../../../docs/operations/many-machines.md"), "utf8");
const [partition, detach] = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = ""]) => sql);

/** A fresh store whose submissions are cut as the docs say. */
async function partitioned(pool: Pool): Promise<{ driver: StorageDriver; schema: string }> {
  const schema = `p_${randomBytes(6).toString("hex")}`;
  const driver = postgresStorage({ pool, schema });
  await driver.open();
  await pool.query((partition ?? "").replaceAll("form_backend.", `${schema}.`));
  return { driver, schema };
}

describePostgres("submissions by month, as docs/operations/many-machines.md has it", () => {
  let database: TemporaryDatabase;
  beforeAll(async () => {
    database = await temporaryDatabase();
  });
  afterAll(() => database?.drop());

  for (const c of storageSuite) {
    test(c.name, () => c.run(async () => (await partitioned(database.pool)).driver));
  }

  test("a submission lies in the partition of its month, and goes with it", async () => {
    const { driver, schema } = await partitioned(database.pool);
    const times = [
      "2026-12-31T23:59:59.999Z",
      "2027-01-01T00:00:00.000Z",
      "2027-01-31T23:59:59.999Z",
      "2027-02-01T00:00:00.000Z",
    ];
    const ids = times.map((at) => Date.parse(at).toString(16).padStart(12, "0") + "0".repeat(12));
    const value = { form_id: "f", team_id: "t", spam: false, read: false, country: null, attached: false };
    await driver.commit(
      ids.map((id, i) => ({
        op: "put" as const,
        collection: "submissions",
        id,
        value: { ...value, created_at: times[i], updated_at: times[i] },
        expect: null,
      })),
    );
    const { rows } = await database.pool.query(
      `select tableoid::regclass::text as part from ${schema}.submissions order by id`,
    );
    expect(rows.map(({ part }) => part.split(".")[1])).toEqual([
      "submissions_before",
      "submissions_2027_01",
      "submissions_2027_01",
      "submissions_rest",
    ]);
    await database.pool.query((detach ?? "").replaceAll("form_backend.", `${schema}.`));
    expect([...(await driver.get("submissions", ids)).keys()]).toEqual([ids[0], ids[3]]);
    await driver.close();
  });
});
