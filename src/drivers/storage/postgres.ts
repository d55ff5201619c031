import { isStorable } from "./columns.ts";
import { claimer } from "./postgres-claim.ts";
import { commitPg, compiler } from "./postgres-commit.ts";
import { checkedSchema, DEFAULT_SCHEMA, migrate } from "./postgres-migrations.ts";
import { type Connections, createConnections, type PoolLike } from "./postgres-pool.ts";
import { countPg, pagePg, type Source } from "./postgres-scan.ts";
import { checkRights, inspect, type OwnPool, openPool } from "./postgres-server.ts";
import { type PgTable, pgTable } from "./postgres-table.ts";
import { commitIn } from "./postgres-tx.ts";
import { type CollectionName, collections } from "./schema.ts";
import { holdSession } from "./session.ts";
import type { SqlRow } from "./sql.ts";
import type { Claim, ClaimQuery, StorageDriver, Stored } from "./types.ts";

export { postgresMigrations } from "./postgres-migrations.ts";
export type { PoolClientLike, PoolLike } from "./postgres-pool.ts";

export type PostgresStorageOptions = {
  /** A schema of our own, created where it is missing: letters, digits and `_`. Default `form_backend`. */
  readonly schema?: string;
  /** Milliseconds after which a statement without an answer is given up, its wait for a connection included. Default 4,000. */
  readonly timeoutMs?: number;
} & (
  | {
      /** The host's own pool, which stays the host's to end: `Pool` of pg, or anything with its `connect`. */
      readonly pool: PoolLike;
    }
  | {
      /** Such as `postgres://user:password@host:5432/database`; needs the package `pg`, which is loaded when the store is opened. */
      readonly connectionString: string;
    }
);

/** Commits at the same time that are worth it; each adds to slots of its own. */
const WRITERS = 2;
const SLOTS = 16;

/** What an open database answers with. */
interface Session {
  readonly connections: Connections;
  readonly folded: string;
  readonly claim: (query: ClaimQuery) => Promise<Claim>;
  readonly own: OwnPool | undefined;
}

/**
 * Keeps everything in PostgreSQL 12 or newer: real tables in a schema of their own that a host can read and join. Many processes on
 * many machines may share it. A commit is one statement, and durable as far as the server's `synchronous_commit` says. A
 * declared column absent from a value reads back as null. `open()` throws where the server can't be used, saying what to do, and
 * where a newer form-backend has changed it so that this one can't go on.
 *
 * @example
 * postgresStorage({ pool: new pg.Pool({ connectionString: process.env.DATABASE_URL }) });
 */
export function postgresStorage(options: PostgresStorageOptions): StorageDriver {
  if (!options || ("pool" in options ? typeof options.pool?.connect !== "function" : !options.connectionString)) {
    throw new TypeError("[form-backend] postgres: pass `pool`, an object with connect(), or `connectionString`");
  }
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

  async function start(): Promise<Session> {
    const own = "pool" in options ? undefined : await openPool(options.connectionString, timeoutMs);
    try {
      const connections = createConnections(own ?? (options as { pool: PoolLike }).pool, schema, timeoutMs);
      const { folded } = await inspect(connections);
      await migrate(connections, schema);
      await checkRights(connections, schema);
      return { connections, folded, claim: claimer(connections, schema, table("jobs")), own };
    } catch (error) {
      await own?.end().catch(() => {});
      throw error;
    }
  }

  const { open, current: opened, close } = holdSession("postgres", start, async ({ own }) => own?.end());
  const source = (collection: string): Source => ({ ...opened(), table: table(collection) });

  return {
    name: "postgres",
    writers: WRITERS,
    open,
    async get(collection, ids) {
      const { connections } = opened();
      const { name, selected, decode } = table(collection);
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
      return new Map(rows.map((row) => [row.id as string, counters ? readCounter(row) : decode(row)]));
    },
    page: async (collection, query) => pagePg(source(collection), query),
    count: async (collection, query) => countPg(source(collection), query),
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
    within: (tx) => ({
      // Slots that group commits never touch, so that none of them waits for the end of a host's transaction.
      commit: async (writes) =>
        commitIn(tx, schema, compile(writes, SLOTS + Math.floor(Math.random() * 3 * SLOTS)), timeoutMs),
    }),
    claim: async (query) => opened().claim(query),
    async nextDueAt(lane) {
      const sql = `SELECT due_at FROM ${table("jobs").name} WHERE lane = $1 AND due_at > '' ORDER BY due_at, id LIMIT 1`;
      const [first] = await opened().connections.ask(sql, [lane], { again: true });
      return first ? Date.parse(String(first.due_at)) : null;
    },
    close,
  };
}

const readCounter = (row: SqlRow): Stored => ({
  id: row.id as string,
  value: { n: Number(row.n), at: row.at },
  version: 1,
});
