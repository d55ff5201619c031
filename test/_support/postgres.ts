import { randomBytes } from "node:crypto";
import { Pool, type PoolConfig } from "pg";
import { afterAll, describe } from "vitest";
import { notRun } from "./not-run.ts";

/** The PostgreSQL that is there for all tests: use a schema, channel or prefix of one's own. */
export const POSTGRES_URL = process.env["POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/test";

export const postgresPool = (config: PoolConfig = {}): Pool => new Pool({ connectionString: POSTGRES_URL, ...config });

const present = await isThere();

/** Tests against PostgreSQL. */
export function describePostgres(name: string, body: () => void): void {
  if (present) describe(name, body);
  else notRun(`${name}: no PostgreSQL answers at ${POSTGRES_URL} (POSTGRES_URL may name another one)`);
}

async function isThere(): Promise<boolean> {
  const pool = postgresPool({ connectionTimeoutMillis: 10_000 });
  return pool
    .query("select 1")
    .then(
      () => true,
      () => false,
    )
    .finally(() => pool.end());
}

/** A database of the test's own, with a pool. */
export interface TemporaryDatabase {
  readonly url: string;
  readonly pool: Pool;
  drop(): Promise<void>;
}

const left = new Set<TemporaryDatabase>();
afterAll(async () => {
  for (const database of left) await database.drop();
});

export async function temporaryDatabase(): Promise<TemporaryDatabase> {
  const name = `form_backend_test_${randomBytes(6).toString("hex")}`;
  const admin = postgresPool({ max: 1 });
  await admin.query(`create database ${name}`);
  const url = new URL(POSTGRES_URL);
  url.pathname = `/${name}`;
  const pool = postgresPool({ connectionString: url.href });
  // Dropping the database ends what is still saying goodbye.
  pool.on("error", () => {});
  const database: TemporaryDatabase = {
    url: url.href,
    pool,
    async drop() {
      if (!left.delete(database)) return;
      await pool.end();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
  left.add(database);
  return database;
}
