import type pg from "pg";
import { afterAll } from "vitest";
import { describePostgres, postgresPool } from "./postgres.ts";

/** For tests that are not about deadlines, on a machine that may be busy. */
export const PATIENT_MS = 60_000;

const schemas: string[] = [];
let made = 0;

/** The name of a schema that nobody else uses, dropped when the test file is done. */
export function freshSchema(): string {
  const schema = `fb_test_${process.pid}_${Date.now().toString(36)}_${++made}`;
  schemas.push(schema);
  return schema;
}

/** Tests against PostgreSQL over a pool that is theirs. */
export function withPostgres(declare: (pool: pg.Pool) => void): void {
  describePostgres("in PostgreSQL", () => {
    const pool = postgresPool({ max: 10 });
    pool.on("error", () => {});
    afterAll(async () => {
      for (const schema of schemas.splice(0)) await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await pool.end();
    });
    declare(pool);
  });
}
