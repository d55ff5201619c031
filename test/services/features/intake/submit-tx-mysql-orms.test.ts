import { afterAll, beforeAll, describe } from "vitest";
import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { createTestBackend, type TestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { freshPrefix, MYSQL_URL, withMysql } from "../../../_support/mysql.ts";
import { PATIENT_MS } from "../../../_support/postgres-schema.ts";
import { transactionCases } from "../../../_support/transactions/cases.ts";
import { mysqlLibraries } from "../../../_support/transactions/mysql.ts";

withMysql((pool) => {
  describe("submit in a transaction of", () => {
    const prefix = freshPrefix();
    const own = `${prefix}hosts_own`;
    let backend: TestBackend;
    let form: string;
    beforeAll(async () => {
      backend = createTestBackend({ storage: mysqlStorage({ pool, prefix, timeoutMs: PATIENT_MS }) });
      form = (await backend.forms.create({ name: "A", spam: { protection: false } })).id;
      await pool.query(`CREATE TABLE ${own} (submission_id VARCHAR(64)) ENGINE = InnoDB`);
    });
    afterAll(() => backend.close());
    async function count(table: string): Promise<number> {
      const [rows] = await pool.query(`SELECT COUNT(*) AS n FROM ${table}`);
      return (rows as { n: number }[])[0]?.n ?? 0;
    }

    for (const library of mysqlLibraries) {
      transactionCases(library, () => ({ url: MYSQL_URL, backend, form, own, count }));
    }
  });
});
