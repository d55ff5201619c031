import { type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { SqlRow, SqlValue } from "./sql.ts";

/** A prepared statement of a `SqliteLike`. */
export interface SqliteStatement {
  run(...params: unknown[]): { changes: number | bigint };
  get(...params: unknown[]): unknown;
  all(...params: unknown[]): unknown[];
}

/** What is used of a SQLite handle: `DatabaseSync` of node:sqlite and @photostructure/sqlite, `Database` of better-sqlite3. */
export interface SqliteLike {
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
  close(): unknown;
}

/** A handle with its prepared statements. Every call is synchronous. */
export interface Connection {
  /** The number of rows changed. */
  run(sql: string, params?: readonly SqlValue[]): number;
  all(sql: string, params?: readonly SqlValue[]): SqlRow[];
  /** Runs `work` in one write transaction; whatever it throws takes everything back. */
  transaction<T>(work: () => T): T;
  /** The same, without waiting for the disk: a power loss may take it back, though no end of the process can. */
  hastily<T>(work: () => T): T;
}

/** Of 4 KB: the log grows to about 16 MB before it is copied. */
const CHECKPOINT_PAGES = 4_000;
const CACHE_KB = 16 * 1024;
const BUSY_MS = 5000;

/** What every connection to a file of ours is told, the wait for locks first. */
export const settings = [
  `PRAGMA busy_timeout = ${BUSY_MS}`,
  "PRAGMA synchronous = FULL",
  // The default copies the log into the file every 4 MB, and with it the same pages of the indexes again and again.
  `PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
  `PRAGMA cache_size = -${CACHE_KB}`,
  // What is erased is overwritten: a person's data must not stay readable in the file's free space.
  "PRAGMA secure_delete = ON",
] as const;

/** `own` = a file that we opened ourselves, with settings that are ours to change. */
export function connect(database: SqliteLike, own = false): Connection {
  const statements = new Map<string, SqliteStatement>();
  const prepared = (sql: string): SqliteStatement => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  const transaction = <T>(work: () => T): T => {
    begin(() => prepared("BEGIN IMMEDIATE").run());
    try {
      const result = work();
      prepared("COMMIT").run();
      return result;
    } catch (error) {
      try {
        prepared("ROLLBACK").run();
      } catch {
        // SQLite has rolled back by itself (disk full, I/O error); the first error is the one that tells.
      }
      throw error;
    }
  };
  return {
    run: (sql, params = []) => Number(prepared(sql).run(...params).changes),
    all: (sql, params = []) => prepared(sql).all(...params) as SqlRow[],
    transaction,
    hastily(work) {
      // A host's handle keeps its settings.
      if (!own) return transaction(work);
      database.exec("PRAGMA synchronous = NORMAL");
      try {
        return transaction(work);
      } finally {
        database.exec("PRAGMA synchronous = FULL");
      }
    },
  };
}

function begin(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!/within a transaction/.test(messageOf(error))) throw error;
    const hint = "give form-backend a handle of its own, or end your transaction before it writes";
    throw new Error(`[form-backend] sqlite: the handle you passed has a transaction open; ${hint}`, { cause: error });
  }
}

/**
 * Opens a file with `node:sqlite` where the running Node has it without a flag, else with `@photostructure/sqlite`: WAL, and an
 * fsync with each commit. Throws an error that names the path and says what to do.
 */
export async function openFile(path: string): Promise<SqliteLike> {
  const DatabaseSync = await engine();
  if (path !== ":memory:") checkPath(path);
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

/**
 * Raises what a host's handle may have set too low for the promise that a commit is on disk when it resolves, and for other
 * processes at the same file. The journal mode is left to the host.
 */
export function prepareHandle(database: SqliteLike): void {
  // Also where it says FULL: until it is said aloud, many builds fall back to NORMAL with the first transaction in WAL.
  if (pragma(database, "synchronous") <= 2) database.exec("PRAGMA synchronous = FULL");
  if (pragma(database, "busy_timeout") < BUSY_MS) database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
}

/** The same error with the path and a way out, where the cause is known. */
export function explain(error: unknown, path: string | undefined): unknown {
  const message = messageOf(error);
  const file = path === undefined ? "the database of the handle you passed" : `"${resolve(path)}"`;
  const known = reasons.find(([pattern]) => pattern.test(message));
  return known ? new Error(`[form-backend] sqlite: ${file} ${known[1]}`, { cause: error }) : error;
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

const stat = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

type Engine = new (path: string) => SqliteLike;

async function engine(): Promise<Engine> {
  // Not an import: bundlers rewrite it, and Node before 22.13 answers undefined instead of throwing.
  const builtin = process.getBuiltinModule?.("node:sqlite") as { DatabaseSync: Engine } | undefined;
  if (builtin) return builtin.DatabaseSync;
  try {
    return (await import("@photostructure/sqlite")).DatabaseSync as unknown as Engine;
  } catch (error) {
    const hint = "run `npm install @photostructure/sqlite`, or use Node >= 22.13, or pass `database`";
    throw new Error(`[form-backend] sqlite: no SQLite engine found; ${hint}`, { cause: error });
  }
}

// Changing to WAL needs the file alone for a moment, and SQLite does not wait for that by itself.
async function useWal(database: SqliteLike): Promise<void> {
  const deadline = performance.now() + BUSY_MS;
  for (;;) {
    try {
      database.prepare("PRAGMA journal_mode = WAL").get();
      return;
    } catch (error) {
      if (!/locked|busy/i.test(messageOf(error)) || performance.now() > deadline) throw error;
    }
    await setTimeout(5 + Math.random() * 20);
  }
}

function pragma(database: SqliteLike, name: string): number {
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, number | bigint>;
  return Number(Object.values(row)[0]);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
