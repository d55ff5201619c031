import { assertStorable, checkWrite, isStorable } from "./columns.ts";
import { type CollectionName, collections } from "./schema.ts";
import { type SqlRow, type Table, tableName, tableOf } from "./sql.ts";
import { claimer } from "./sqlite-claim.ts";
import { type Connection, connect, explain, openFile, prepareHandle, type SqliteLike } from "./sqlite-engine.ts";
import { migrate } from "./sqlite-migrations.ts";
import { countSql, pageSql } from "./sqlite-scan.ts";
import { type Claim, type ClaimQuery, StaleWriteError, type StorageDriver, type Stored, type Write } from "./types.ts";

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
  readonly claim: (query: ClaimQuery) => Claim;
}

/**
 * Keeps everything in SQLite: real tables `fb_<collection>` that a host can read and join, with an fsync before each commit
 * resolves. Several processes of one machine may share the file; a host that has it open in this process with a SQLite library of
 * its own must pass that handle, because file locks do not hold between two copies of SQLite in one process. A declared column
 * absent from a value reads back as null. SQLite is synchronous: while another process writes, ours stands still, 5 s at most.
 * `open()` throws where the file can't be used, and where a newer form-backend has written it.
 *
 * @example
 * sqliteStorage({ path: "./data/forms.db" });
 */
export function sqliteStorage(options: SqliteStorageOptions): StorageDriver {
  const prefix = options.prefix ?? "fb_";
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(prefix)) {
    throw new TypeError(`[form-backend] sqlite: prefix "${prefix}" may hold letters, digits and _ only`);
  }
  const tables = new Map(Object.keys(collections).map((name) => [name, tableOf(prefix, name)]));
  const counters = tableName(prefix, "counters");
  const table = (collection: string): Table => {
    const found = tables.get(collection as CollectionName);
    if (!found) throw new Error(`[form-backend] unknown collection "${collection}"`);
    return found;
  };
  let opening: Promise<SqliteLike> | undefined;
  let session: Session | undefined;

  async function start(): Promise<SqliteLike> {
    const path = "path" in options ? options.path : undefined;
    const database = "database" in options ? options.database : await openFile(options.path);
    try {
      if ("database" in options) prepareHandle(database);
      const connection = connect(database);
      migrate(connection, prefix);
      session = { connection, claim: claimer(connection, prefix, table("jobs")) };
      return database;
    } catch (error) {
      if (!("database" in options)) database.close();
      throw explain(error, path);
    }
  }

  const opened = (): Session => {
    if (!session) throw new Error("[form-backend] the sqlite store is not open: await open() first");
    return session;
  };

  const source = (collection: string): Parameters<typeof pageSql>[0] => ({
    connection: opened().connection,
    prefix,
    collection,
    table: table(collection),
  });

  function apply(connection: Connection, write: Write): void {
    checkWrite(write);
    if (write.op === "add") {
      connection.run(
        `INSERT INTO ${counters} (id, n, at) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET n = n + excluded.n, at = max(at, excluded.at)`,
        [write.id, write.by, write.at],
      );
      return;
    }
    const { collection, id, expect } = write;
    const { name, insert, upsert, update, encode } = table(collection);
    let changed: number;
    if (write.op === "remove") {
      changed =
        expect === undefined
          ? connection.run(`DELETE FROM ${name} WHERE id = ?`, [id])
          : connection.run(`DELETE FROM ${name} WHERE id = ? AND version = ?`, [id, expect]);
    } else if (typeof expect === "number") {
      changed = connection.run(update, [...encode(write.value), id, expect]);
    } else {
      changed = connection.run(expect === null ? insert : upsert, [id, ...encode(write.value)]);
    }
    if (changed === 0 && expect !== undefined) throw new StaleWriteError(collection, id);
  }

  return {
    name: "sqlite",
    async open() {
      opening ??= start().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      await opening;
    },
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
      const { connection } = opened();
      connection.transaction(() => {
        for (const write of writes) apply(connection, write);
      });
    },
    claim: async (query) => opened().claim(query),
    async nextDueAt(lane) {
      const [first] = await pageSql(source("jobs"), { index: "due", equals: { lane }, order: "asc", limit: 1 });
      return first ? Date.parse(String(first.value.due_at)) : null;
    },
    async close() {
      const started = opening;
      opening = undefined;
      session = undefined;
      const handle = await started?.catch(() => undefined);
      if (handle && !("database" in options)) handle.close();
    },
  };
}

const readCounter = (row: SqlRow): Stored => ({
  id: row.id as string,
  value: { n: Number(row.n), at: row.at },
  version: 1,
});
