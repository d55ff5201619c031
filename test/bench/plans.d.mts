import type { Pool } from "pg";
import type { SqliteLike } from "../../src/drivers/storage/sqlite.ts";

export interface Plan {
  readonly sql: string;
  readonly plan: string;
  /** Rows that the statement answered. */
  readonly rows: number;
}

export function watchSqlite(database: SqliteLike): { database: SqliteLike; plans(): Promise<Plan[]> };
export function watchPool(pool: Pool): { pool: Pool; plans(): Promise<Plan[]> };
