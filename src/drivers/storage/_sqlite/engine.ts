import { closeSync, openSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorMessage } from "../../../lib/message.ts";
import { BUSY_MS, pragma, useWal } from "./pragmas.ts";

/** A prepared statement of a `SqliteLike`. */
export interface SqliteStatement {
  run(...params: unknown[]): { changes: number | bigint };
  get(...params: unknown[]): unknown;
  all(...params: unknown[]): unknown[];
  /** Row by row. Without it, as in Node 22 before 22.13, pages of heavy rows take more memory. */
  iterate?(...params: unknown[]): Iterable<unknown>;
}

/** The members used of a SQLite handle: `DatabaseSync` of node:sqlite and @photostructure/sqlite, `Database` of better-sqlite3. */
export interface SqliteLike {
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
  close(): unknown;
}

/** The same where `BEGIN` is not ours to say, as in a Durable Object: its transactions and its settings are the host's. */
export interface SqliteHost extends SqliteLike {
  transactionSync?<T>(work: () => T): T;
}

const PAGE_BYTES = 4096;
/** From this size on, the log is copied into the file in the background. */
export const LOG_BYTES = 4_000 * PAGE_BYTES;
/**
 * From four times that size on, each commit copies what is left, so that the log can begin anew. The file of the log keeps its
 * size: writing over it takes one fsync for the data, and letting it grow again takes another for its length, at every commit.
 */
const CHECKPOINT_PAGES = (4 * LOG_BYTES) / PAGE_BYTES;
const CACHE_KB = 16 * 1024;

/** Settings of every connection to our own file; the wait for locks comes first. */
export const settings = [
  `PRAGMA busy_timeout = ${BUSY_MS}`,
  "PRAGMA synchronous = FULL",
  // The default copies the log into the file every 4 MB, and with it the same pages of the indexes again and again.
  `PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
  // Only one transaction that is larger than the log should be makes the file shrink again.
  `PRAGMA journal_size_limit = ${8 * LOG_BYTES}`,
  `PRAGMA cache_size = -${CACHE_KB}`,
  // Overwrites deleted data: a person's data must not stay readable in the file's free space.
  "PRAGMA secure_delete = ON",
] as const;

/** Time that the last copy of the log waits for readers of other processes. */
const LAST_COPY_MS = 250;

/** Closes a file that we opened: all of the log is copied into it and the log emptied, so that the file alone is the database. */
export function closeFile(database: SqliteLike): void {
  try {
    database.exec(`PRAGMA busy_timeout = ${LAST_COPY_MS}`);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    // Removes log and locks. @photostructure/sqlite can't finalize statements: its closed handles would keep both for a while.
    database.exec("PRAGMA journal_mode = DELETE");
  } catch {
    // Another process has it open, or the disk is full: committed data stays complete in the file and its log.
  }
  database.close();
}

/**
 * Opens a file with `node:sqlite` if the running Node has it without a flag, otherwise with `@photostructure/sqlite`: WAL, and
 * an fsync with each commit. Throws an error that names the path and a remedy.
 */
export async function openFile(path: string): Promise<SqliteLike> {
  const DatabaseSync = await engine();
  if (path !== ":memory:") {
    checkPath(path);
    createPrivately(path);
  }
  let database: SqliteLike | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec(settings[0]);
    await useWal(database);
    for (const setting of settings) database.exec(setting);
    return database;
  } catch (error) {
    database?.close();
    throw explain(error, path);
  }
}

/** Raises settings of a host's handle that are too low for durable commits or for other processes; the journal mode stays. */
export function prepareHandle(database: SqliteHost): void {
  if (database.transactionSync) return;
  // Set it even if it reads FULL: many builds drop to NORMAL in WAL unless the pragma was issued on this connection.
  if (pragma(database, "synchronous") <= 2) database.exec("PRAGMA synchronous = FULL");
  if (pragma(database, "busy_timeout") < BUSY_MS) database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
}

/** The same error with the path and a way out, where the cause is known. */
export function explain(error: unknown, path: string | undefined): unknown {
  const message = errorMessage(error);
  const file = path === undefined ? "the database of the handle you passed" : `"${resolve(path)}"`;
  const known = reasons.find(([pattern]) => pattern.test(message));
  return known ? new Error(`[form-backend] sqlite: ${file} ${known[1]}`, { cause: error }) : error;
}

/** Empties the log into the file, so deleted data does not stay in it. False while another connection reads it; never waits. */
export function emptyLog(database: SqliteLike): boolean {
  database.exec("PRAGMA busy_timeout = 0");
  try {
    const { busy } = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() as { busy: number | bigint };
    return Number(busy) === 0;
  } catch (error) {
    if (/locked|busy/i.test(errorMessage(error))) return false;
    throw error;
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  }
}

const reasons: readonly (readonly [RegExp, string])[] = [
  [/not a database/i, "is not a SQLite database; name another path or move the file away"],
  [/readonly|read-only/i, "is read-only; make the file and its directory writable for this process"],
  [/unable to open/i, "can't be opened; make the file and its directory readable and writable for this process"],
  [/locked|busy/i, `stayed locked for ${BUSY_MS / 1000} s; end the process that holds a transaction on it`],
];

function checkPath(path: string): void {
  const directory = dirname(resolve(path));
  if (!stat(directory)?.isDirectory()) {
    throw new Error(
      `[form-backend] sqlite: the directory "${directory}" does not exist; create it, or name another path`,
    );
  }
  if (stat(path)?.isDirectory()) {
    throw new Error(`[form-backend] sqlite: "${resolve(path)}" is a directory; name a file in it, such as "forms.db"`);
  }
}

/** Visitors' data is for this user alone. SQLite gives its journals the permissions of the file, and leaves those of an old one. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch {
    // It exists, or SQLite will report the error.
  }
}

const stat = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

type Engine = new (path: string) => SqliteLike;

async function engine(): Promise<Engine> {
  // Not an import: bundlers rewrite it, and Node before 22.13 returns undefined instead of throwing.
  const builtin = process.getBuiltinModule?.("node:sqlite") as { DatabaseSync: Engine } | undefined;
  if (builtin) return builtin.DatabaseSync;
  try {
    return (await import("@photostructure/sqlite")).DatabaseSync as unknown as Engine;
  } catch (error) {
    throw new Error(`[form-backend] sqlite: ${missing(error)}`, { cause: error });
  }
}

/** Why the package for older Node gave no engine: it is not there, or a bundler has copied all of it but the file that imports hide. */
function missing(error: unknown): string {
  if (!/native build|\.node\b/.test(errorMessage(error))) {
    return "no SQLite engine found; run `npm install @photostructure/sqlite`, or use Node >= 22.13, or pass `database`";
  }
  return (
    "@photostructure/sqlite is installed, but its native file is missing or is for another platform. If a bundler copied the package, " +
    "add its folder `prebuilds`: in Nitro by `externals.traceInclude`, in Next.js by `outputFileTracingIncludes`. If it was installed on " +
    "another system, install it on this one. Or use Node >= 22.13"
  );
}
