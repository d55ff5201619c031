import { setTimeout } from "node:timers/promises";
import { inSlices } from "../../lib/turn.ts";
import { type CollectionName, collections } from "../../model/collections.ts";
import { assertStorable, isStorable } from "./_rows/columns.ts";
import { countSql, pageSql } from "./_sql/scan.ts";
import { holdSession } from "./_sql/session.ts";
import type { Source } from "./_sql/source.ts";
import { indexName, readCounter, sqliteDialect, type Table, tableName, tableOf } from "./_sql/sql.ts";
import { besideFile } from "./_sqlite/beside.ts";
import { claimer } from "./_sqlite/claim.ts";
import { compiler } from "./_sqlite/commit.ts";
import { type Connection, connect } from "./_sqlite/connection.ts";
import { closeFile, emptyLog, explain, openFile, prepareHandle, type SqliteLike } from "./_sqlite/engine.ts";
import { check, migrate } from "./_sqlite/migrations.ts";
import { type Beside, joiner, type Named } from "./_sqlite/tx.ts";
import { createWriter, type Writer } from "./_sqlite/writer.ts";
import { type Claim, type ClaimQuery, type StorageDriver, StoreDownError } from "./types.ts";

export type { SqliteLike, SqliteStatement } from "./_sqlite/engine.ts";

export type SqliteStorageOptions = {
  /** The prefix of the backend's tables and indexes: letters, digits and `_`. Default `fb_`. */
  readonly prefix?: string;
  /** Creates and upgrades the tables in `open()`. With `false` your own migrations do, and `open()` checks them. Default true. */
  readonly migrate?: boolean;
} & (
  | {
      /** A file in a directory that exists; the file is created. */
      readonly path: string;
    }
  | {
      /** Your own handle, which you close yourself. */
      readonly database: SqliteLike;
    }
);

/** Reads in windows take turns on the event loop, and together they must not block it. */
const READERS = 4;

const WINDOW_MS = { most: 5, least: 2 } as const;
const WINDOWS = { rows: 256, counts: 4096 } as const;

/** Number of tries to empty the log while other processes read from it, and their interval in ms. */
const SCRUB_TRIES = 20;
const SCRUB_EVERY_MS = 50;

/** The open state of a database. */
interface Session {
  readonly database: SqliteLike;
  readonly connection: Connection;
  readonly writer: Writer;
  readonly claim: (query: ClaimQuery) => Claim;
  readonly own: SqliteLike | undefined;
}

/**
 * Stores everything in SQLite: real tables `fb_<collection>` that a host can read and join, with an fsync before each commit
 * resolves. Several processes of one machine may share the file. A host that has it open in this process with a SQLite library
 * of its own must pass that handle, because file locks don't work between two copies of SQLite in one process. A declared
 * column absent from a value reads back as null. With `path`, large commits run in a thread of their own, and the event loop
 * continues. Small ones, and all over a host's handle, run here. While somebody else writes, ours wait, at most 5 s, and the
 * event loop goes on.
 * `open()` throws if the file can't be used, or if an incompatible newer form-backend has written it. `close()` leaves one file
 * with all data, unless another process has it open. By default, uploads go into the folder `<path>-files`, and outside
 * production `<path>-secret` contains the secret.
 *
 * @example
 * sqliteStorage({ path: "./data/forms.db" });
 */
export function sqliteStorage(options: SqliteStorageOptions): StorageDriver {
  if (typeof options === "string")
    throw new TypeError('[form-backend] sqlite: pass options, not a string; write sqliteStorage({ path: "forms.db" })');
  // An empty path would be a file that goes away with the process.
  if (
    typeof options !== "object" ||
    options === null ||
    ("database" in options ? typeof options.database?.prepare !== "function" : !options.path)
  ) {
    throw new TypeError("[form-backend] sqlite: pass `path`, a file, or `database`, an open handle");
  }
  const prefix = options.prefix ?? "fb_";
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(prefix)) {
    throw new TypeError(`[form-backend] sqlite: prefix "${prefix}" may contain only letters, digits and _`);
  }
  const tables = new Map(Object.keys(collections).map((name) => [name, tableOf(prefix, name)]));
  const table = (collection: string): Table => {
    const found = tables.get(collection as CollectionName);
    if (!found) throw new Error(`[form-backend] unknown collection "${collection}"`);
    return found;
  };
  const compile = compiler(tableName(prefix, "counters"), table);

  async function start(): Promise<Session> {
    const path = "path" in options ? options.path : undefined;
    const own = "database" in options ? undefined : await openFile(options.path);
    const database = own ?? (options as { database: SqliteLike }).database;
    try {
      if (!own) prepareHandle(database);
      const connection = connect(database, path !== undefined);
      if (options.migrate === false) check(connection, prefix);
      else migrate(connection, prefix);
      return {
        database,
        connection,
        own,
        writer: createWriter(connection, path),
        claim: claimer(connection, prefix, table("jobs")),
      };
    } catch (error) {
      own?.close();
      throw explain(error, path);
    }
  }

  async function end({ connection, writer, own }: Session): Promise<void> {
    await writer.close();
    connection.release();
    if (own) closeFile(own);
  }

  const file = "path" in options ? options.path : undefined;
  const { open, current: opened, close } = holdSession("sqlite", start, end);
  const beside = (): Beside => {
    const { connection, database } = opened();
    return {
      handle: database,
      read: async (sql) => connection.all(sql),
      isTaken: async () => connection.isTaken(),
    };
  };
  const join = joiner(prefix, WORDS, beside, asDown);

  function source(collection: string): Source {
    const { connection } = opened();
    const { name, columns } = table(collection);
    return {
      collection,
      codec: table(collection),
      dialect: sqliteDialect,
      selected: { all: "*", columns },
      from: (index) => `${name} INDEXED BY ${indexName(prefix, collection, index)}`,
      read: ({ sql, params }) => connection.each(sql, params),
      engine: { windowMs: WINDOW_MS, windows: WINDOWS, merges: true, rest: inSlices() },
    };
  }

  return {
    name: "sqlite",
    readers: READERS,
    ...(file !== undefined && file !== ":memory:" && { beside: besideFile(file) }),
    open,
    async get(collection, ids) {
      const { connection } = opened();
      const { name, decode } = table(collection);
      const wanted = ids.filter(isStorable);
      // One id is the hot case and needs no JSON.
      const [where, param] =
        wanted.length === 1 ? ["= ?", wanted[0]!] : ["IN (SELECT value FROM json_each(?))", JSON.stringify(wanted)];
      const rows = connection.all(`SELECT * FROM ${name} WHERE id ${where}`, [param]);
      const read = collection === "counters" ? readCounter : decode;
      return new Map(rows.map((row) => [row.id as string, read(row)]));
    },
    async page(collection, query) {
      if (query.after) assertStorable(query.after.id, "a position");
      return pageSql(source(collection), query);
    },
    count: async (collection, query) => countSql(source(collection), query),
    async commit(writes) {
      try {
        await opened().writer.run(compile(writes));
      } catch (error) {
        throw asDown(error);
      }
    },
    within(tx) {
      const write = join(tx);
      return { isExclusive: true, commit: async (writes) => write(compile(writes)) };
    },
    claim: async (query) => {
      const { writer, claim } = opened();
      return writer.alone(() => claim(query));
    },
    async nextDueAt(lane) {
      const [first] = await pageSql(source("jobs"), { index: "due", equals: { lane }, order: "asc", limit: 1 });
      return first ? Date.parse(String(first.value.due_at)) : null;
    },
    async scrub() {
      const { writer, own } = opened();
      // The journal of a host's handle stays as the host has set it.
      for (let tried = 0; own && tried < SCRUB_TRIES; tried++) {
        if (await writer.alone(() => emptyLog(own))) return;
        await setTimeout(SCRUB_EVERY_MS, undefined, { ref: false });
      }
    },
    close,
  };
}

const WORDS: Named = {
  store: "sqlite",
  possible:
    "pass a handle in a transaction, or a transaction of Drizzle, Kysely, Knex, Prisma, TypeORM, MikroORM or @libsql/client on the store's file",
  toBegin: "run BEGIN IMMEDIATE on it first, since the functions of a synchronous library end before `submit` does",
  sameCopy: "open the store with a handle of the same library, sqliteStorage({ database })",
};

/** Each smaller commit would wait for the lock as long again, and the host's event loop with it. */
const DOWN = /database is locked|database or disk is full|readonly database|disk I\/O error/i;

function asDown(error: unknown): unknown {
  const message = error instanceof Error ? error.message : "";
  if (!DOWN.test(message)) return error;
  // All other errors come before a transaction ends.
  const nothingWritten = !/I\/O error/i.test(message);
  return new StoreDownError(`[form-backend] sqlite: ${message}`, { cause: error, nothingWritten });
}
