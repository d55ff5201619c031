import { type CollectionName, collections } from "../../model/collections.ts";
import { claimer } from "./_postgres/claim.ts";
import { type PostgresPool, poolOf } from "./_postgres/clients.ts";
import { commitPg, compiler } from "./_postgres/commit.ts";
import { countPg } from "./_postgres/count.ts";
import { functionNames, SLOTS } from "./_postgres/functions.ts";
import { haveBeforePg } from "./_postgres/have-before.ts";
import { checkedSchema, DEFAULT_SCHEMA, migrate, missing } from "./_postgres/migrations.ts";
import { decoded, pagePg } from "./_postgres/page.ts";
import type { Source } from "./_postgres/select.ts";
import { checkRights, inspect, type OwnPool, openPool, pgConnections } from "./_postgres/server.ts";
import { type PgTable, pgTable } from "./_postgres/table.ts";
import { joiner } from "./_postgres/tx.ts";
import { isStorable } from "./_rows/columns.ts";
import { checkOnly } from "./_schema/lacking.ts";
import { type Ask, type Connections, type PoolLike, readersOf } from "./_sql/pool.ts";
import { holdSession } from "./_sql/session.ts";
import { readCounter } from "./_sql/sql.ts";
import type { Claim, ClaimQuery, StorageDriver } from "./types.ts";

export type { PgliteLike, PostgresJsLike, PostgresPool } from "./_postgres/clients.ts";
export { postgresMigrations } from "./_postgres/migrations.ts";
export type { PoolClientLike, PoolLike } from "./_sql/pool.ts";

export type PostgresStorageOptions = {
  /** The backend's own schema, created if it is missing: letters, digits and `_`. Default `form_backend`. */
  readonly schema?: string;
  /** Milliseconds before a statement without a response fails, including its wait for a connection. Default 4,000. */
  readonly timeoutMs?: number;
  /** Creates and upgrades the tables in `open()`. With `false` your own migrations do, and `open()` checks them. Default true. */
  readonly migrate?: boolean;
} & (
  | {
      /** Your own pool, which you close yourself: `Pool` of pg, Neon or Vercel, `sql` of postgres.js, a PGlite, or anything with `connect`. */
      readonly pool: PostgresPool;
    }
  | {
      /** Such as `postgres://user:password@host:5432/database`; needs the package `pg`, which is loaded when the store is opened. */
      readonly connectionString: string;
    }
);

/** Useful number of simultaneous commits. */
const WRITERS = 2;

/** The open state of a database. */
interface Session {
  readonly connections: Connections;
  readonly folded: string;
  readonly claim: (query: ClaimQuery) => Promise<Claim>;
  readonly own: OwnPool | undefined;
}

/**
 * Stores everything in PostgreSQL 12 or newer: real tables in a schema of their own that a host can read and join. Many
 * processes on many machines may share it. A commit is one statement, as durable as the server's `synchronous_commit` makes it.
 * A declared column absent from a value reads back as null. `open()` throws with a remedy if the server can't be used, and if a
 * newer form-backend has changed it in a way that this one does not support.
 *
 * @example
 * postgresStorage({ pool: new pg.Pool({ connectionString: process.env.DATABASE_URL }) });
 */
export function postgresStorage(options: PostgresStorageOptions): StorageDriver {
  if (typeof options === "string")
    throw new TypeError(
      '[form-backend] postgres: pass options, not a string; write postgresStorage({ connectionString: "postgres://…" })',
    );
  if (typeof options !== "object" || options === null || !("pool" in options || options.connectionString)) {
    throw new TypeError("[form-backend] postgres: pass `pool`, an object with connect(), or `connectionString`");
  }
  const [, scheme = "postgres"] =
    "pool" in options ? [] : (/^([a-z][a-z0-9+.-]*):\/\//i.exec(options.connectionString) ?? []);
  if (!/^(postgres(ql)?|socket)$/i.test(scheme))
    throw new TypeError(
      `[form-backend] postgres: \`connectionString\` must begin with postgres://, and begins with ${scheme}://` +
        `${/^(mysql|mariadb)$/i.test(scheme) ? "; use mysqlStorage({ uri }) for it" : ""}`,
    );
  const given = "pool" in options ? poolOf(options.pool) : undefined;
  const schema = checkedSchema(options.schema ?? DEFAULT_SCHEMA);
  const timeoutMs = options.timeoutMs ?? 4_000;
  const tables = new Map(Object.keys(collections).map((name) => [name, pgTable(schema, name)]));
  const table = (collection: string): PgTable => {
    const found = tables.get(collection as CollectionName);
    if (!found) throw new Error(`[form-backend] unknown collection "${collection}"`);
    return found;
  };
  const { compile } = compiler(schema, table);
  const firstSlot = Math.floor(Math.random() * SLOTS);
  let committing = 0;
  let waited = (_seconds: number): void => {};

  async function check(connections: Connections): Promise<void> {
    const ask: Ask = (sql, params = []) => connections.ask(sql, params, { again: true });
    await checkOnly(
      { store: "postgres", database: "postgres", place: schema, functions: functionNames },
      ({ sql, params }) => ask(sql, params),
      () => missing(ask, schema),
    );
  }

  async function start(): Promise<Session> {
    const own = "pool" in options ? undefined : await openPool(options.connectionString, timeoutMs);
    try {
      const connections = pgConnections((own ?? given) as PoolLike, schema, timeoutMs, (seconds) => waited(seconds));
      const { folded } = await inspect(connections);
      if (options.migrate === false) await check(connections);
      else await migrate(connections, schema);
      await checkRights(connections, schema);
      return { connections, folded, claim: claimer(connections, schema, table("jobs")), own };
    } catch (error) {
      await own?.end().catch(() => {});
      throw error;
    }
  }

  const { open, current: opened, close } = holdSession("postgres", start, async ({ own }) => own?.end());
  const join = joiner(schema, timeoutMs, () => opened().connections);
  const source = (collection: string): Source => ({ ...opened(), table: table(collection) });

  return {
    name: "postgres",
    writers: WRITERS,
    readers: readersOf(given),
    onPoolWait(listener) {
      waited = listener;
    },
    open,
    async get(collection, ids) {
      const { connections } = opened();
      const { name, selected } = table(collection);
      const wanted = ids.filter(isStorable);
      if (wanted.length === 0) return new Map();
      // One id is the hot case.
      const [where, param] =
        wanted.length === 1
          ? ["= $1", wanted[0]!]
          : ["= ANY(ARRAY(SELECT json_array_elements_text($1::text::json)))", JSON.stringify(wanted)];
      const counters = collection === "counters";
      const sql = counters
        ? `SELECT id, sum(n)::text AS n, max(at) AS at FROM ${name} WHERE id ${where} GROUP BY id`
        : `SELECT ${selected} FROM ${name} WHERE id ${where}`;
      const rows = await connections.ask(sql, [param], { again: true });
      const found = counters ? rows.map(readCounter) : await decoded(table(collection), rows);
      return new Map(found.map((row) => [row.id, row]));
    },
    page: async (collection, query) => pagePg(source(collection), query),
    count: async (collection, query) => countPg(source(collection), query),
    haveBefore: async (collection, query) => haveBeforePg(source(collection), query),
    async commit(writes) {
      const { connections } = opened();
      const statements = compile(writes, (firstSlot + committing) % SLOTS);
      committing++;
      try {
        await commitPg(connections, statements);
      } finally {
        committing--;
      }
    },
    within(tx) {
      const write = join.within(tx);
      // Slots that group commits never use, so none of them waits for a host's transaction.
      return { commit: async (writes) => write(compile(writes, SLOTS + Math.floor(Math.random() * 3 * SLOTS))) };
    },
    claim: async (query) => opened().claim(query),
    async nextDueAt(lane) {
      const sql = `SELECT due_at FROM ${table("jobs").name} WHERE lane = $1 AND due_at > '' ORDER BY due_at, id LIMIT 1`;
      const [first] = await opened().connections.ask(sql, [lane], { again: true });
      return first ? Date.parse(String(first.due_at)) : null;
    },
    close,
  };
}
