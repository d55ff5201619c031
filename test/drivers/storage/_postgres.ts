import pg from "pg";
import { afterAll, expect, test } from "vitest";

/** The server that tests run against; each test keeps to schemas of its own. */
export const POSTGRES_URL = process.env["POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/test";

/** For tests that are not about deadlines, on a machine that may be busy. */
export const PATIENT_MS = 60_000;

/** Null where no server answers. */
export const postgres = await connectable();

async function connectable(): Promise<pg.Pool | null> {
  const pool = new pg.Pool({ connectionString: POSTGRES_URL, max: 10, connectionTimeoutMillis: 5_000 });
  pool.on("error", () => {});
  try {
    await pool.query("SELECT 1");
    return pool;
  } catch {
    await pool.end();
    return null;
  }
}

const schemas: string[] = [];
let made = 0;

/** The name of a schema that nobody else uses, dropped when the test file is done. */
export function freshSchema(): string {
  const schema = `fb_test_${process.pid}_${Date.now().toString(36)}_${++made}`;
  schemas.push(schema);
  return schema;
}

if (postgres) {
  afterAll(async () => {
    for (const schema of schemas.splice(0)) await postgres.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await postgres.end();
  });
}

/** Declares tests that need the server; where none answers, one test says so, and fails where services are required. */
export function withPostgres(declare: (pool: pg.Pool) => void): void {
  if (postgres) declare(postgres);
  else {
    test(`no PostgreSQL at ${POSTGRES_URL}, so its tests did not run (POSTGRES_URL names another one)`, () => {
      expect(process.env["REQUIRE_SERVICES"]).not.toBe("1");
    });
  }
}
