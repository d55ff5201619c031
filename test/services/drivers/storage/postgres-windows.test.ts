import type pg from "pg";
import { describe, expect, it } from "vitest";
import { type PoolLike, postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import type { InTurn, StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { submission } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";

const ROWS = 40;
/** Characters of a submission's one field. */
const LONG = 200_000;
/** The size of a window in `windows.ts`. */
const WINDOW_BYTES = 512 * 1024;

const form = { index: "form", equals: { form_id: "f1" }, order: "desc", limit: 26 } as const;
const nowhere = { ...form, where: [{ field: "text", op: "contains", value: "nowhere" }] } as const;

/** The pool, with the number of statements that read submissions. */
function counting(pool: pg.Pool) {
  const seen = { statements: 0 };
  const counted: PoolLike = {
    async connect() {
      const client = await pool.connect();
      return {
        release: (destroy) => client.release(destroy),
        query(sql, params) {
          if (/FROM "\w+"\."submissions"/.test(sql)) seen.statements++;
          return client.query(sql, params);
        },
      };
    },
  };
  return { counted, seen };
}

withPostgres((pool) => {
  async function filled(): Promise<{ driver: StorageDriver; seen: { statements: number } }> {
    const { counted, seen } = counting(pool);
    const driver = postgresStorage({ pool: counted, schema: freshSchema(), timeoutMs: PATIENT_MS });
    await driver.open();
    const fields = [{ key: "text", value: "x".repeat(LONG) }];
    for (let at = 0; at < ROWS; at++) await driver.commit([submission(`s${at}`, at, { fields })]);
    seen.statements = 0;
    return { driver, seen };
  }

  describe("a long read of large submissions in PostgreSQL", () => {
    it("looks at half a megabyte with each statement, however much matches", async () => {
      const { driver, seen } = await filled();
      const windows = Math.floor((ROWS * LONG) / (WINDOW_BYTES + LONG));
      expect(await driver.page("submissions", nowhere)).toEqual([]);
      expect(seen.statements).toBeGreaterThanOrEqual(2 * windows);
      seen.statements = 0;
      const groups = await driver.count("submissions", {
        index: "form",
        equals: form.equals,
        groupBy: { field: "text" },
        budgetMs: PATIENT_MS,
      });
      expect(groups).toMatchObject({ count: ROWS, exact: true, groups: [{ count: ROWS }] });
      expect(seen.statements).toBeGreaterThanOrEqual(2 * windows);
    });

    it("passes each statement that reads rows to the caller, who may let reads take turns", async () => {
      const { driver, seen } = await filled();
      let turns = 0;
      const inTurn: InTurn = (statement) => {
        turns++;
        return statement();
      };
      await driver.page("submissions", { ...nowhere, inTurn });
      await driver.page("submissions", { ...form, inTurn });
      await driver.count("submissions", { index: "form", equals: form.equals, budgetMs: PATIENT_MS, inTurn });
      expect(turns).toBeGreaterThan(2);
      expect(seen.statements).toBe(turns);
    });

    it("ends with the window that fills the page", async () => {
      const { driver, seen } = await filled();
      const where = [{ field: "text", op: "contains", value: "xxx" }] as const;
      const found = await driver.page("submissions", { ...form, where, limit: 2 });
      expect(found.map(({ id }) => id)).toEqual([`s${ROWS - 1}`, `s${ROWS - 2}`]);
      expect(seen.statements).toBe(2);
    });
  });
});
