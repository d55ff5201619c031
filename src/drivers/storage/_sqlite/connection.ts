import { errorMessage } from "../../../lib/message.ts";
import type { SqlRow, SqlValue } from "../_sql/sql.ts";
import type { SqliteHost, SqliteStatement } from "./engine.ts";
import { isTaken, patiently } from "./patience.ts";
import { BUSY_MS, pragma } from "./pragmas.ts";

/** A handle with its prepared statements. Every call is synchronous. */
export interface Connection {
  /** The number of rows changed. */
  run(sql: string, params?: readonly SqlValue[]): number;
  all(sql: string, params?: readonly SqlValue[]): SqlRow[];
  /** Reads only as far as you iterate. End it before you do anything else with the handle. */
  each(sql: string, params?: readonly SqlValue[]): Iterable<SqlRow>;
  /** Runs `work` in one write transaction; if it throws, everything is rolled back. Waits here for another one's lock. */
  transaction<T>(work: () => T): T;
  /** Runs `work` again and again while another one has the lock that its transactions need, and the event loop goes on meanwhile. */
  patiently<T>(work: () => T): Promise<T>;
  /** True while another connection has the lock, or the handle has a transaction open. */
  isTaken(): boolean;
  /** The same without fsync: a power loss may undo it, though no crash of the process can. */
  withoutFsync<T>(work: () => T): T;
  /** Forgets the prepared statements, each of which keeps a closed handle's file open in some engines. Don't use the connection afterwards. */
  release(): void;
}

/** `own` = a file that we opened ourselves, with settings that are ours to change. */
export function connect(database: SqliteHost, own = false): Connection {
  const statements = new Map<string, SqliteStatement>();
  const prepared = (sql: string): SqliteStatement => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  let waits = true;
  let iterates = true;
  const begin = (): void => {
    const usual = waits ? null : own ? BUSY_MS : pragma(database, "busy_timeout");
    if (usual !== null) database.exec("PRAGMA busy_timeout = 0");
    try {
      // Not prepared: after a failure libsql leaves such a statement running, and the handle reads an old state from then on.
      named(() => database.exec("BEGIN IMMEDIATE"));
    } finally {
      if (usual !== null) database.exec(`PRAGMA busy_timeout = ${usual}`);
    }
  };
  const atOnce = <T>(work: () => T): T => {
    waits = false;
    try {
      return work();
    } finally {
      waits = true;
    }
  };
  const transaction = <T>(work: () => T): T => {
    if (database.transactionSync) return database.transactionSync(work);
    begin();
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
    each(sql, params = []) {
      const statement = prepared(sql);
      const rows = iterates ? statement.iterate?.(...params) : undefined;
      if (!rows) return statement.all(...params) as SqlRow[];
      if ("return" in rows) return rows as Iterable<SqlRow>;
      // libsql can't end an iteration early: the handle would go on reading the state of its beginning.
      iterates = false;
      return [...rows] as SqlRow[];
    },
    transaction,
    patiently: (work) => patiently(() => atOnce(work)),
    isTaken() {
      try {
        atOnce(begin);
      } catch (error) {
        if (isTaken(error)) return true;
        throw error;
      }
      prepared("ROLLBACK").run();
      return false;
    },
    withoutFsync(work) {
      // A host's handle keeps its settings.
      if (!own) return transaction(work);
      database.exec("PRAGMA synchronous = NORMAL");
      try {
        return transaction(work);
      } finally {
        database.exec("PRAGMA synchronous = FULL");
      }
    },
    release: () => statements.clear(),
  };
}

function named(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!/within a transaction/.test(errorMessage(error))) throw error;
    const hint = "give form-backend a handle of its own, or end your transaction before it writes";
    throw new Error(`[form-backend] sqlite: the handle you passed has a transaction open; ${hint}`, { cause: error });
  }
}
