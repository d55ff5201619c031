import type { FormBackend } from "../../src/index.ts";

/** How the generator speaks to one database. */
export interface Sql {
  table(name: string): string;
  run(text: string): Promise<void>;
  all(text: string): Promise<Record<string, unknown>[]>;
  columns(table: string): Promise<string[]>;
}

export interface Generated {
  readonly backend: FormBackend;
  readonly key: string;
  readonly formId: string;
  readonly webhookId: string;
}

export function generate(backend: FormBackend, key: string, sql: Sql, rows: number): Promise<Generated>;
export function sqliteSql(
  database: { exec(sql: string): unknown; prepare(sql: string): { all(...params: unknown[]): unknown[] } },
  prefix?: string,
): Sql;
export function mariadbSql(
  connection: { query(sql: string, params?: unknown[]): Promise<unknown> },
  prefix: string,
): Promise<Sql>;
export function postgresSql(client: { query(sql: string, params?: unknown[]): Promise<unknown> }, schema: string): Sql;
