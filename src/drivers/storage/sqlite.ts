import { assertStorable, isStorable } from "./columns.ts";
import { type CollectionName, collections } from "./schema.ts";
import { holdSession } from "./session.ts";
import { type SqlRow, type Table, tableName, tableOf } from "./sql.ts";
import { claimer } from "./sqlite-claim.ts";
import { type Connection, connect, explain, openFile, prepareHandle, type SqliteLike } from "./sqlite-engine.ts";
import { migrate } from "./sqlite-migrations.ts";
import { countSql, pageSql } from "./sqlite-scan.ts";
import { compiler, createWriter, type Writer } from "./sqlite-writer.ts";
import { type Claim, type ClaimQuery, type StorageDriver, StoreDownError, type Stored } from "./types.ts";

export type { SqliteLike, SqliteStatement } from "./sqlite-engine.ts";

export type SqliteStorageOptions = {
  /** What the names of our tables and indexes begin with: letters, digits and `_`. Default `fb_`. */
  readonly prefix?: string;
} & (
  | {
      /** A file in a directory that exists; the file is created. */
      readonly path: string;
    }
  | {
      /** The host's own handle, which stays the host's to close. */
      readonly database: SqliteLike;
    }
);

/** What an open database answers with. */
interface Session {
  readonly connection: Connection;
  readonly writer: Writer;
  readonly claim: (query: ClaimQuery) => Claim;
  readonly own: SqliteLike | undefined;
}

/**
 * Keeps everything in SQLite: real tables `fb_<collection>` that a host can read and join, with an fsync before each commit
 * resolves. Several processes of one machine may share the file; a host that has it open in this process with a SQLite library of
 * its own must pass that handle, because file locks do not hold between two copies of SQLite in one process. A declared column
 * absent from a value reads back as null. With `path`, large commits run in a thread of their own, and the event loop goes on;
 * small ones, and all over a host's handle, run here: while another process writes, ours stands still, 5 s at most.
 * `open()` throws where the file can't be used, and where a newer form-backend has written it.
 *
 * @example
 * sqliteStorage({ path: "./data/forms.db" });
 */
export function sqliteStorage(options: SqliteStorageOptions): StorageDriver {
  // An empty path would be a file that goes away with the process.
  if (!options || ("database" in options ? typeof options.database?.prepare !== "function" : !options.path)) {
    throw new TypeError("[form-backend] sqlite: pass `path`, a file, or `database`, a handle that you have opened");
  }
  const prefix = options.prefix ?? "fb_";
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(prefix)) {
    throw new TypeError(`[form-backend] sqlite: prefix "${prefix}" may hold letters, digits and _ only`);
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
      migrate(connection, prefix);
      return {
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

  async function end({ writer, own }: Session): Promise<void> {
    await writer.close();
    own?.close();
  }

  const { open, current: opened, close } = holdSession("sqlite", start, end);

  const source = (collection: string): Parameters<typeof pageSql>[0] => ({
    connection: opened().connection,
    prefix,
    collection,
    table: table(collection),
  });

  return {
    name: "sqlite",
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
    commit: async (writes) => opened().writer.run(compile(writes)).catch(refuse),
    claim: async (query) => {
      const { writer, claim } = opened();
      return writer.alone(() => claim(query));
    },
    async nextDueAt(lane) {
      const [first] = await pageSql(source("jobs"), { index: "due", equals: { lane }, order: "asc", limit: 1 });
      return first ? Date.parse(String(first.value.due_at)) : null;
    },
    close,
  };
}

/** Each smaller commit would wait for the lock as long again, and the host's event loop with it. */
const DOWN = /database is locked|database or disk is full|readonly database|disk I\/O error/i;

function refuse(error: unknown): never {
  const message = error instanceof Error ? error.message : "";
  throw DOWN.test(message) ? new StoreDownError(`[form-backend] sqlite: ${message}`, { cause: error }) : error;
}

const readCounter = (row: SqlRow): Stored => ({
  id: row.id as string,
  value: { n: Number(row.n), at: row.at },
  version: 1,
});
