import { inTime, LateError } from "../../lib/in-time.ts";
import { errorMessage } from "../../lib/message.ts";
import type { SqlRow, SqlValue } from "./_sql/sql.ts";
import { isTaken, patiently } from "./_sqlite/patience.ts";
import { remoteSqlite } from "./_sqlite/remote.ts";
import { has, nameOf } from "./_tx/link.ts";
import { type StorageDriver, StoreDownError } from "./types.ts";

/** The members used of a client of `@libsql/client`. */
export interface LibsqlClientLike {
  execute(statement: { sql: string; args: SqlValue[] }): Promise<{ rows: ArrayLike<unknown> }>;
  batch(statements: { sql: string; args: SqlValue[] }[], mode: "write"): Promise<unknown>;
  /** Several statements as one text. */
  executeMultiple?(sql: string): Promise<void>;
  /** `file` for a file of this machine. */
  readonly protocol?: string;
}

/** Options of `libsqlStorage`. */
export interface LibsqlStorageOptions {
  /** Your own client, which you close yourself: `createClient({ url })`, for a file or for a server over HTTP or WebSockets. */
  readonly client: LibsqlClientLike;
  /** The prefix of the backend's tables and indexes: letters, digits and `_`. Default `fb_`. */
  readonly prefix?: string;
  /** Milliseconds before a statement or a commit without a response from a server fails. A file has no such limit. Default 4,000. */
  readonly timeoutMs?: number;
  /** Creates and upgrades the tables in `open()`. With `false` your own migrations do, and `open()` checks them. Default true. */
  readonly migrate?: boolean;
}

/**
 * Stores everything in libSQL, over a client of `@libsql/client`: a file, Turso or a server of your own. Many processes on many
 * machines may share a server. A commit is one batch, which is a transaction and a single request. Times are those of the process.
 * Throws a `TypeError` for what is no client.
 *
 * @example
 * libsqlStorage({ client: createClient({ url: "libsql://forms.turso.io", authToken: process.env.TURSO_TOKEN }) });
 */
export function libsqlStorage(options: LibsqlStorageOptions): StorageDriver {
  const client = (options as LibsqlStorageOptions | undefined)?.client;
  if (!client || !has(client, "execute", "batch") || has(client, "rollback")) {
    const given = has(client, "prepare")
      ? "a handle of libsql, which sqliteStorage({ database }) takes"
      : nameOf(client);
    throw new TypeError(
      `[form-backend] libsql: \`client\` is ${has(client, "rollback") ? "a transaction" : given}; pass createClient({ url }) of @libsql/client`,
    );
  }
  const { timeoutMs = 4_000 } = options;
  /** A file of this machine is waited for by its lock alone. */
  const limited = <T>(ms: number, work: () => Promise<T>): Promise<T> =>
    client.protocol === "file" ? work() : inTime(ms, work);
  /**
   * Waits while another connection has the file's only lock. A prepared statement that fails by it would stay in the way of every
   * later commit of its connection.
   */
  const lockable = async (): Promise<void> => {
    if (client.protocol === "file") await patiently(() => client.executeMultiple?.(LOCK));
  };
  const isLocked = async (): Promise<boolean> => {
    try {
      await client.executeMultiple?.(LOCK);
      return false;
    } catch (error) {
      if (isTaken(error)) return true;
      throw error;
    }
  };
  return remoteSqlite(
    {
      name: "libsql",
      async all({ sql, params }) {
        if (/^\s*UPDATE/.test(sql)) await lockable();
        const { rows } = await limited(timeoutMs, () => client.execute({ sql, args: [...params] }));
        return Array.from(rows) as SqlRow[];
      },
      async batch(statements, migrates = false) {
        await lockable();
        const all = statements.map(({ sql, params }) => ({ sql, args: [...params] }));
        await limited(migrates ? MIGRATE_MS : timeoutMs, () => client.batch(all, "write"));
      },
      explain,
      joins: { ...WORDS, ...(client.protocol === "file" && client.executeMultiple && { isTaken: isLocked }) },
    },
    options,
  );
}

const MIGRATE_MS = 60_000;

/** Takes the file's lock, and gives it back. */
const LOCK = "BEGIN IMMEDIATE; COMMIT";

const WORDS = {
  possible:
    'pass what `await client.transaction("write")` gives you, or a transaction of Drizzle, Kysely, Prisma or MikroORM in the store\'s database',
  toBegin: "pass it before it is committed or rolled back",
  sameCopy: "use a client of @libsql/client or a handle of libsql on the store's file",
};

/** Codes and texts of failures that no smaller commit avoids; the later ones are those of `fetch` and of sockets. */
const DOWN =
  /SQLITE_(BUSY|FULL|READONLY|IOERR|CANTOPEN)|TRANSACTION_ACTIVE|SERVER_ERROR|HRANA_WEBSOCKET|CLIENT_CLOSED|database is locked|ECONN|EPIPE|ETIMEDOUT|fetch failed|\bterminated\b|socket hang up|\baborted\b/;
/** Those of them after which something may have been written. */
const UNCERTAIN =
  /SQLITE_IOERR|SERVER_ERROR|HRANA_WEBSOCKET|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|fetch failed|\bterminated\b|socket hang up|\baborted\b/;

function explain(error: unknown): unknown {
  const text = `${(error as { code?: unknown } | null)?.code ?? ""} ${errorMessage(error)}`;
  const isLate = error instanceof LateError;
  if (!isLate && !DOWN.test(text)) return error;
  const message = `[form-backend] libsql: ${errorMessage(error)}; check the client's url and token, and that the server or file can be written`;
  return new StoreDownError(message, { cause: error, nothingWritten: !isLate && !UNCERTAIN.test(text) });
}
