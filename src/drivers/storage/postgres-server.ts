import type { Connections, PoolLike } from "./postgres-pool.ts";

/** It brought jsonpath. */
const OLDEST = 12;
const MAX_CLIENTS = 10;

/** A pool that we made, and so have to end. */
export interface OwnPool extends PoolLike {
  end(): Promise<void>;
}

/** A pool of `pg`, which is loaded only here. Throws an error that says what to install. */
export async function openPool(connectionString: string, timeoutMs: number): Promise<OwnPool> {
  const { default: pg } = await import("pg").catch((cause: unknown) => {
    throw new Error("[form-backend] postgres: run `npm install pg`, or pass a `pool`", { cause });
  });
  const pool = new pg.Pool({
    connectionString,
    max: MAX_CLIENTS,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    application_name: "form-backend",
  });
  // An idle connection that is cut would end the process; the next statement gets another one.
  pool.on("error", () => {});
  return pool;
}

/**
 * What of the server matters to us: answers how it folds the case of `v`. Throws an error that says what to do where it is too old,
 * read-only, of another encoding, or does not let us write.
 */
export async function inspect(connections: Connections): Promise<{ folded: string }> {
  const [found] = await connections.ask(
    `SELECT current_setting('server_version_num')::int / 10000 AS major, current_setting('server_encoding') AS encoding,
       current_setting('transaction_read_only') = 'on' AS read_only,
       EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') AS icu`,
    [],
    { again: true },
  );
  const refuse = (what: string): never => {
    throw new Error(`[form-backend] postgres: ${what}`);
  };
  if (Number(found?.major) < OLDEST) refuse(`the server is version ${found?.major}; use ${OLDEST} or newer`);
  if (found?.encoding !== "UTF8") {
    refuse(`the database's encoding is ${found?.encoding}; create one with ENCODING 'UTF8'`);
  }
  if (found?.read_only) {
    refuse("the server or the session is read-only; connect to the primary, with a user that may write");
  }
  // As JavaScript folds, whatever the database's locale; where the server was built without ICU, as the locale says.
  return { folded: found?.icu ? 'lower(v COLLATE "und-x-icu") COLLATE "C"' : 'lower(v) COLLATE "C"' };
}

/** Throws where the user may not use a table as we do: better before the first submission than with it. */
export async function checkRights(connections: Connections, schema: string): Promise<void> {
  const [found] = await connections.ask(
    `SELECT current_user AS who, bool_and(has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
       AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')) AS may
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND c.relname <> 'migrations'`,
    [schema],
    { again: true },
  );
  if (found?.may) return;
  throw new Error(
    `[form-backend] postgres: the user "${found?.who}" may not write to the schema "${schema}"; run: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO "${found?.who}"`,
  );
}
