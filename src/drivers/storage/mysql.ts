import { makeWay } from "../../lib/turn.ts";
import { type CollectionName, collections } from "../../model/collections.ts";
import { claimer } from "./_mysql/claim.ts";
import { commitMysql, compiler, SLOTS } from "./_mysql/commit.ts";
import { explain, isCut } from "./_mysql/errors.ts";
import { markSql, migrate } from "./_mysql/migrations.ts";
import { type MysqlPoolLike, type OwnPool, openPool, poolOf } from "./_mysql/pool.ts";
import { checkSession, checkTables, inspect } from "./_mysql/server.ts";
import { byIndex, dialect, type MysqlTable, mysqlTable, type Place } from "./_mysql/table.ts";
import { within } from "./_mysql/tx.ts";
import { assertStorable, isStorable } from "./_rows/columns.ts";
import { type Connections, createConnections, readersOf } from "./_sql/pool.ts";
import { countSql, pageSql } from "./_sql/scan.ts";
import { holdSession } from "./_sql/session.ts";
import type { ReadingEngine, Source } from "./_sql/source.ts";
import { readCounter } from "./_sql/sql.ts";
import { weighed } from "./_sql/weighed.ts";
import type { Claim, ClaimQuery, InTurn, StorageDriver, Write } from "./types.ts";

export type { MysqlPoolLike } from "./_mysql/pool.ts";

export type MysqlStorageOptions = {
  /** The database of the tables; default: that of the connection. It has to exist. */
  readonly database?: string;
  /** The prefix of the backend's tables: letters, digits and `_`. Default `fb_`. */
  readonly prefix?: string;
  /** Milliseconds before a statement without a response fails, including its wait for a connection. Default 4,000. */
  readonly timeoutMs?: number;
  /** Creates and upgrades the tables in `open()`. With `false` your own migrations do, and `open()` checks them. Default true. */
  readonly migrate?: boolean;
} & (
  | {
      /** Your own pool, which you close yourself: of `mysql2` or `mysql2/promise`. */
      readonly pool: MysqlPoolLike;
    }
  | {
      /** Such as `mysql://user:password@host:3306/database`; needs the package `mysql2`, which is loaded when the store is opened. */
      readonly uri: string;
    }
);

/** Useful number of simultaneous commits. */
const WRITERS = 2;

const engine: Omit<ReadingEngine, "weighed"> = {
  windowMs: { most: 50, least: 20 },
  windows: { rows: 1_024, counts: 8_192 },
  merges: false,
  rest: makeWay,
};

/** The open state of a database. */
interface Session {
  readonly connections: Connections;
  readonly place: Place;
  readonly mark: string;
  readonly isMariadb: boolean;
  readonly table: (collection: string) => MysqlTable;
  readonly compile: (writes: readonly Write[], slot: number) => ReturnType<ReturnType<typeof compiler>>;
  readonly claim: (query: ClaimQuery) => Promise<Claim>;
  readonly own: OwnPool | undefined;
}

/**
 * Stores everything in MariaDB 10.6 or MySQL 8.0.19 or newer, in InnoDB: real tables `fb_<collection>` that a host can read and
 * join. Many processes on many machines may share it. A commit is one transaction, as durable as the server's
 * `innodb_flush_log_at_trx_commit` makes it; `open()` warns where that is not 1. A declared column absent from a value reads back
 * as null. `open()` throws with a remedy if the server can't be used, and if a newer form-backend has changed it in a way that this
 * one does not support.
 *
 * @example
 * mysqlStorage({ pool: mysql.createPool({ uri: process.env.DATABASE_URL }) });
 */
export function mysqlStorage(options: MysqlStorageOptions): StorageDriver {
  if (typeof options === "string")
    throw new TypeError('[form-backend] mysql: pass options, not a string; write mysqlStorage({ uri: "mysql://…" })');
  if (
    typeof options !== "object" ||
    options === null ||
    ("pool" in options ? typeof options.pool?.getConnection !== "function" : !options.uri)
  ) {
    throw new TypeError("[form-backend] mysql: pass `pool`, an object with getConnection(), or `uri`");
  }
  const { prefix = "fb_", database: wanted, timeoutMs = 4_000 } = options;
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,31}$/.test(prefix)) {
    throw new TypeError(`[form-backend] mysql: prefix "${prefix}" may contain only letters, digits and _, 32 at most`);
  }
  if (wanted !== undefined && !/^[A-Za-z0-9_$-]{1,64}$/.test(wanted)) {
    throw new TypeError(`[form-backend] mysql: database "${wanted}" may contain only letters, digits, _, $ and -`);
  }
  const firstSlot = Math.floor(Math.random() * SLOTS);
  let committing = 0;
  let waited = (_seconds: number): void => {};

  async function start(): Promise<Session> {
    const own = "pool" in options ? undefined : await openPool(options.uri, timeoutMs);
    try {
      const pool = poolOf(own ?? (options as { pool: MysqlPoolLike }).pool, checkSession);
      const connections = createConnections(pool, {
        ...{ store: "mysql", timeoutMs, isCut, explain },
        waited: (seconds) => waited(seconds),
      });
      const { database, collation } = await inspect(connections, wanted);
      const place = { database, prefix };
      const tables = new Map(Object.keys(collections).map((name) => [name, mysqlTable(place, name)]));
      const table = (collection: string): MysqlTable => {
        const found = tables.get(collection as CollectionName);
        if (!found) throw new Error(`[form-backend] unknown collection "${collection}"`);
        return found;
      };
      const mark = await migrate(connections, place, collation, options.migrate !== false);
      await checkTables(connections, place, collation, [...tables.values()]);
      const compile = compiler(table);
      const isMariadb = collation !== "utf8mb4_0900_bin";
      return { connections, place, mark, isMariadb, table, compile, claim: claimer(connections, table("jobs")), own };
    } catch (error) {
      await own?.end().catch(() => {});
      throw error;
    }
  }

  const { open, current: opened, close } = holdSession("mysql", start, async ({ own }) => own?.end());

  function source(collection: string, inTurn: InTurn = (statement) => statement()): Source {
    const { connections, table } = opened();
    const of = table(collection);
    const columns = of.columns.slice(0, -1).join(", ");
    return {
      collection,
      codec: of,
      dialect,
      selected: { all: of.columns.join(", "), columns },
      from: (index) => byIndex(of, index),
      read: ({ sql, params }) => inTurn(() => connections.ask(sql, params, { again: true })),
      engine: {
        ...engine,
        weighed: (places, _, sort, order, weight) =>
          weighed({ ...of, join: "STRAIGHT_JOIN" }, places, dialect.column(sort), order, weight),
      },
    };
  }

  return {
    name: "mysql",
    writers: WRITERS,
    readers: readersOf("pool" in options ? poolOf(options.pool, checkSession) : undefined),
    onPoolWait(listener) {
      waited = listener;
    },
    open,
    async get(collection, ids) {
      const { connections, table } = opened();
      const { name, decode, columns } = table(collection);
      const wanted = [...new Set(ids)].filter(isStorable);
      if (wanted.length === 0) return new Map();
      const where = `id IN (${wanted.map(() => "?").join(", ")})`;
      const counters = collection === "counters";
      const sql = counters
        ? `SELECT id, SUM(n) AS n, MAX(at) AS at FROM ${name} WHERE ${where} GROUP BY id`
        : `SELECT ${columns.join(", ")} FROM ${name} WHERE ${where}`;
      const rows = await connections.ask(sql, wanted, { again: true });
      return new Map(rows.map((row) => [String(row.id), counters ? readCounter(row) : decode(row)]));
    },
    async page(collection, query) {
      if (query.after) assertStorable(`${query.after.sort}${query.after.id}`, "a position");
      if (query.limit < 1) return [];
      return pageSql(source(collection, query.inTurn), query);
    },
    count: async (collection, query) => countSql(source(collection, query.inTurn), query),
    async commit(writes) {
      const { connections, compile, isMariadb } = opened();
      const statements = compile(writes, (firstSlot + committing) % SLOTS);
      committing++;
      try {
        await commitMysql(connections, statements, isMariadb);
      } finally {
        committing--;
      }
    },
    within(tx) {
      const write = within(tx, timeoutMs, () => ({ mark: opened().mark, markSql: markSql(opened().place) }));
      return {
        async commit(writes) {
          // Slots that group commits never use, so none of them waits for a host's transaction.
          await write(opened().compile(writes, SLOTS + Math.floor(Math.random() * 3 * SLOTS)));
        },
      };
    },
    claim: async (query) => opened().claim(query),
    async nextDueAt(lane) {
      const { connections, table } = opened();
      const from = byIndex(table("jobs"), "due");
      const sql = `SELECT due_at FROM ${from} WHERE lane = ? AND due_at > '' ORDER BY due_at, id LIMIT 1`;
      const [first] = await connections.ask(sql, [lane], { again: true });
      return first ? Date.parse(String(first.due_at)) : null;
    },
    close,
  };
}
