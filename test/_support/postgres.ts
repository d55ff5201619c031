import { randomBytes } from "node:crypto";
import { Pool, type PoolConfig } from "pg";
import { describe } from "vitest";
import { atEndOfFile } from "./cleanup.ts";
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

/** Dropped when the test file is done, or before. */
export async function temporaryDatabase(): Promise<TemporaryDatabase> {
  const name = `form_backend_test_${randomBytes(6).toString("hex")}`;
  const admin = postgresPool({ max: 1 });
  await admin.query(`create database ${name}`);
  const url = new URL(POSTGRES_URL);
  url.pathname = `/${name}`;
  const pool = postgresPool({ connectionString: url.href });
  // Dropping the database ends what is still saying goodbye.
  pool.on("error", () => {});
  let dropped: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await pool.end();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  };
  const drop = (): Promise<void> => (dropped ??= end());
  atEndOfFile(drop);
  return { url: url.href, pool, drop };
}
