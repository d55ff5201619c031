import { type Connections, createConnections, type PoolLike } from "../_sql/pool.ts";
import { explain, isCut, rowSecurity } from "./errors.ts";
import { functionNames } from "./functions.ts";

/** It brought jsonpath. */
const OLDEST = 12;
const MAX_CLIENTS = 10;

/** A pool that we made and have to close. */
export interface OwnPool extends PoolLike {
  end(): Promise<void>;
}

/** Runs statements over a pool, for the tables of a schema. */
export const pgConnections = (
  pool: PoolLike,
  schema: string,
  timeoutMs: number,
  waited: (seconds: number) => void = () => {},
): Connections =>
  createConnections(pool, { store: "postgres", timeoutMs, isCut, explain: (error) => explain(error, schema), waited });

async function driver() {
  // Not `.catch()`: in a `try`, bundlers such as Turbopack take the package for optional.
  try {
    return (await import("pg")).default;
  } catch (cause) {
    throw new Error("[form-backend] postgres: run `npm install pg`, or pass a `pool`", { cause });
  }
}

/** A pool of `pg`, which is loaded only here. Throws an error that tells what to install. */
export async function openPool(connectionString: string, timeoutMs: number): Promise<OwnPool> {
  const pg = await driver();
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
 * Reads the server's properties; returns the way it folds the case of `v`. Throws an error with a remedy if it is too old,
 * read-only, of another encoding, or does not let us write.
 */
export async function inspect(connections: Connections): Promise<{ folded: string }> {
  const [found] = await connections.ask(
    `SELECT current_setting('server_version_num')::int / 10000 AS major, current_setting('server_encoding') AS encoding, false AS no,
       current_setting('transaction_read_only') = 'on' AS read_only,
       EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') AS icu`,
    [],
    { again: true },
  );
  const refuse = (what: string): never => {
    throw new Error(`[form-backend] postgres: ${what}`);
  };
  if (found && !("read_only" in found)) {
    refuse("the client of `pool` renames columns; pass one without `transform` of postgres.js, or without rowMode");
  }
  // As a text, each "f" would count as true.
  if (found?.no !== false) {
    refuse(
      "the client of `pool` does not return booleans as true and false; remove types.setTypeParser(16, …), or pass a pool whose option `types` leaves type 16 alone",
    );
  }
  if (Number(found?.major) < OLDEST) refuse(`the server is version ${found?.major}; use ${OLDEST} or newer`);
  if (found?.encoding !== "UTF8") {
    refuse(`the database's encoding is ${found?.encoding}; create one with ENCODING 'UTF8'`);
  }
  if (found?.read_only) {
    refuse("the server or the session is read-only; connect to the primary, with a user that may write");
  }
  // As JavaScript folds, whatever the database's locale; on a server built without ICU, by its locale.
  return { folded: found?.icu ? 'lower(v COLLATE "und-x-icu") COLLATE "C"' : 'lower(v) COLLATE "C"' };
}

/** Throws where the user may not use a table or function as we do: better before the first submission than with it. */
export async function checkRights(connections: Connections, schema: string): Promise<void> {
  const [found] = await connections.ask(
    `SELECT current_user AS who, (
       SELECT bool_and(has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
         AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))
       FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p') AND c.relname <> 'migrations'
     ) AS may_write, (
       SELECT bool_and(has_function_privilege(p.oid, 'EXECUTE')) FROM pg_proc p
       WHERE p.pronamespace = n.oid AND p.proname = ANY (ARRAY(SELECT json_array_elements_text($2::text::json)))
     ) AS may_call, (
       SELECT bool_or(row_security_active(c.oid)) FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p')
     ) AS by_policy
     FROM pg_namespace n WHERE n.nspname = $1`,
    [schema, JSON.stringify(functionNames)],
    { again: true },
  );
  const refuse = (verb: string, rights: string): never => {
    throw new Error(
      `[form-backend] postgres: the user "${found?.who}" may not ${verb} the schema "${schema}"; run: GRANT ${rights} IN SCHEMA "${schema}" TO "${found?.who}"`,
    );
  };
  if (found?.by_policy) throw new Error(`[form-backend] postgres: ${rowSecurity(schema)}`);
  if (!found?.may_write) refuse("write to", "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES");
  if (!found?.may_call) refuse("call the functions of", "EXECUTE ON ALL FUNCTIONS");
}
