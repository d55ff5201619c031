import { errorMessage } from "../../../lib/message.ts";
import { ask, type MysqlConnectionLike, promised } from "../_mysql/pool.ts";
import type { SqlRow, SqlValue } from "../_sql/sql.ts";
import type { SqliteLike } from "../_sqlite/engine.ts";
import { type Given, has, type Kind, type Link, members, RefusedError } from "./link.ts";

/** The clients of databases. Returns null for what is none of them. */
export function clientOf(given: unknown, name?: string): Given | null {
  if (has(given, "unsafe")) return postgresJs(given as PostgresJs, name);
  if (has(given, "getConnection")) {
    throw new RefusedError("is a pool; pass the connection that your transaction is on");
  }
  if (has(given, "query", "importFile"))
    return of("MySQL", name ?? "a connection of mariadb", mariaDbLink(given as MariaDb));
  if (isMysql(given)) return of("MySQL", name ?? "a connection of mysql2", mysqlLink(given as object));
  if (has(given, "prepare", "exec")) return sqlite(given as SqliteLike, name);
  if (has(given, "execute", "executeMultiple")) return libsql(given as LibsqlTransaction, name);
  if (has(given, "query", "exec")) {
    throw new RefusedError(
      "is of PGlite, whose only connection is taken by your transaction while `submit` reads the form",
    );
  }
  if (has(given, "query")) return of("PostgreSQL", name ?? "a client of pg", pgLink(given as PgClient));
  return null;
}

const of = (kind: Kind, name: string, link: Link): Given => ({ kind, name, open: async () => link });

interface PgClient {
  query(sql: string, params: unknown[]): Promise<{ rows: SqlRow[]; rowCount?: number | null }>;
}

function pgLink(client: PgClient): Link {
  return {
    connection: client,
    run: async (sql, params = []) => (await client.query(sql, [...params])).rowCount ?? 0,
    read: async (sql, params = []) => (await client.query(sql, [...params])).rows,
  };
}

/** The transaction of postgres.js: a function with members. */
interface PostgresJs {
  unsafe(sql: string, params: readonly SqlValue[]): Promise<SqlRow[] & { count?: number | null }>;
  savepoint?<T>(work: (inner: PostgresJs) => Promise<T>): Promise<T>;
}

function postgresJs(sql: PostgresJs, name = "a transaction of postgres.js"): Given {
  if (!sql.savepoint) {
    if (!has(sql, "begin")) throw new RefusedError(NEON_HTTP);
    throw new RefusedError("is `sql` of postgres.js itself; pass the `tx` of `sql.begin(async (tx) => …)`");
  }
  const link = (inner: PostgresJs): Link => ({
    connection: sql,
    run: async (text, params = []) => (await inner.unsafe(text, params)).count ?? 0,
    read: async (text, params = []) => [...(await inner.unsafe(text, params))],
    nested: async (work) => {
      if (!inner.savepoint) throw new RefusedError("has no savepoints");
      return inner.savepoint((deeper) => work(link(deeper)));
    },
  });
  return of("PostgreSQL", name, link(sql));
}

export const NEON_HTTP =
  "is Neon over HTTP, which has no interactive transactions; use its `Pool` over WebSockets, or leave `tx` out";

/** A connection of mysql2 or of its promises, which has the other one inside. */
function isMysql(given: unknown): boolean {
  const { connection = given } = members(given);
  return has(given, "query") && typeof members(connection).threadId === "number";
}

function mysqlLink(given: object): Link {
  const connection = promised<MysqlConnectionLike>(given);
  return {
    connection: members(connection).connection === undefined ? given : (members(connection).connection as object),
    run: async (sql, params) =>
      Number(((await ask(connection, sql, params)) as { affectedRows?: number }[])[0]?.affectedRows ?? 0),
    read: async (sql, params) => (await ask(connection, sql, params)) as SqlRow[],
  };
}

/** A connection of the package `mariadb`, with callbacks or with promises. */
interface MariaDb {
  query(options: { sql: string }, values: readonly SqlValue[], done: (error: unknown, found: unknown) => void): unknown;
}

function mariaDbLink(connection: MariaDb): Link {
  const query = (sql: string, values: readonly SqlValue[] = []): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const done = (error: unknown, found: unknown): void => (error ? reject(error) : resolve(found));
      const answer = connection.query({ sql, rowsAsArray: false, nestTables: false } as { sql: string }, values, done);
      if (has(answer, "then")) resolve(answer);
    });
  return {
    connection,
    run: async (sql, values) => Number(members(await query(sql, values)).affectedRows ?? 0),
    read: async (sql, values) => (await query(sql, values)) as SqlRow[],
  };
}

/** A handle whose calls are synchronous. */
function sqlite(handle: SqliteLike, name = "a handle of SQLite"): Given {
  if (has(handle, "serialize", "parallelize")) {
    throw new RefusedError("is of the package sqlite3, which is not supported; use better-sqlite3 or libsql");
  }
  return of("SQLite", name, {
    connection: handle,
    run: async (sql, params = []) => Number(handle.prepare(sql).run(...params).changes),
    read: async (sql, params = []) => handle.prepare(sql).all(...params) as SqlRow[],
  });
}

/** The transaction of `@libsql/client`. */
interface LibsqlTransaction {
  execute(statement: { sql: string; args: SqlValue[] }): Promise<{ rows: SqlRow[]; rowsAffected: number }>;
  rollback?(): Promise<void>;
}

function libsql(tx: LibsqlTransaction, name = "a transaction of @libsql/client"): Given {
  if (!tx.rollback)
    throw new RefusedError("is a client of @libsql/client; pass what `await client.transaction()` gives you");
  return of("SQLite", name, {
    connection: tx,
    run: async (sql, params = []) => (await tx.execute({ sql, args: [...params] })).rowsAffected,
    read: async (sql, params = []) => (await tx.execute({ sql, args: [...params] })).rows,
    // A server ends a transaction that waits for seconds.
    hasEnded: (error) =>
      ["TRANSACTION_CLOSED", "STREAM_EXPIRED"].includes(String(members(error).code)) ||
      /stream not found/i.test(errorMessage(error)),
  });
}
