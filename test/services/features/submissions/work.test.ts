import { randomBytes } from "node:crypto";
import { afterAll } from "vitest";
import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { describePostgres, postgresPool } from "../../../_support/postgres.ts";
import { workCases } from "../../../_support/work/cases.ts";

const PATIENT_MS = 60_000;

describePostgres("in PostgreSQL", () => {
  const pool = postgresPool();
  const schemas: string[] = [];
  afterAll(async () => {
    for (const schema of schemas) await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await pool.end();
  });
  workCases(() => {
    const schema = `work_${randomBytes(6).toString("hex")}`;
    schemas.push(schema);
    return postgresStorage({ pool, schema });
  });
});

withMysql((pool) => workCases(() => mysqlStorage({ pool, prefix: freshPrefix(), timeoutMs: PATIENT_MS })));
