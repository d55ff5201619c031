import { checkRow } from "./columns.ts";
import type { SqlValue, Table } from "./sql.ts";
import type { Connection } from "./sqlite-engine.ts";
import { createThread, type Thread } from "./sqlite-thread.ts";
import { StaleWriteError, type Write } from "./types.ts";

/** From so many statements on a commit is worth the way to the thread; a lone submission has about six. */
const THREAD_FROM = 16;

/** One write as SQL. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** The row whose expectation failed where nothing changes; null where that is fine. */
  readonly stale: { readonly collection: string; readonly id: string } | null;
}

/** Turns writes into statements. Throws a `TypeError` for what some driver could not keep. */
export function compiler(
  counters: string,
  table: (collection: string) => Table,
): (writes: readonly Write[]) => Statement[] {
  const add = `INSERT INTO ${counters} (id, n, at) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET n = n + excluded.n, at = max(at, excluded.at)`;
  return (writes) =>
    writes.map((write) => {
      checkRow(write);
      if (write.op === "add") return { sql: add, params: [write.id, write.by, write.at], stale: null };
      const { collection, id, expect } = write;
      const stale = expect === undefined ? null : { collection, id };
      const { name, insert, upsert, update, encode } = table(collection);
      if (write.op === "remove") {
        const anyVersion = `DELETE FROM ${name} WHERE id = ?`;
        if (expect === undefined || expect === null) return { sql: anyVersion, params: [id], stale };
        return { sql: `${anyVersion} AND version = ?`, params: [id, expect], stale };
      }
      if (typeof expect === "number") return { sql: update, params: [...encode(write.value), id, expect], stale };
      return { sql: expect === null ? insert : upsert, params: [id, ...encode(write.value)], stale };
    });
}

/** The one way to write to an open database: what is asked for goes one after the other. */
export interface Writer {
  /** All statements in one transaction. Throws `StaleWriteError` when an expectation fails. */
  run(statements: readonly Statement[]): Promise<void>;
  /** Runs `work`, which may write, while nothing else of this process writes. */
  alone<T>(work: () => T): Promise<T>;
  close(): Promise<void>;
}

/**
 * Writes here what is small, and what is large in a thread of its own, so that the event loop goes on while the disk is busy:
 * only for a file that we opened ourselves (`path`), and only where a thread can be had.
 */
export function createWriter(connection: Connection, path: string | undefined, start = createThread): Writer {
  const file = path === ":memory:" ? undefined : path;
  let last: Promise<unknown> = Promise.resolve();
  let starting: Promise<void> | undefined;
  let thread: Thread | null = null;

  const inTurn = <T>(work: () => T | Promise<T>): Promise<T> => {
    const run = last.then(work);
    last = run.catch(() => {});
    return run;
  };

  /** Null until it is ready, and for ever where none can be had. */
  function threadFor(file: string): Thread | null {
    starting ??= start(file).then((made) => {
      thread = made;
    });
    return thread?.ended() ? null : thread;
  }

  function here(statements: readonly Statement[]): void {
    connection.transaction(() => {
      for (const { sql, params, stale } of statements) {
        if (connection.run(sql, params) === 0 && stale) throw new StaleWriteError(stale.collection, stale.id);
      }
    });
  }

  async function there(thread: Thread, statements: readonly Statement[]): Promise<void> {
    const failed = await thread.run(statements);
    const stale = failed === null ? null : statements[failed]?.stale;
    if (stale) throw new StaleWriteError(stale.collection, stale.id);
  }

  return {
    run: (statements) =>
      inTurn(() => {
        const helper = file !== undefined && statements.length >= THREAD_FROM ? threadFor(file) : null;
        return helper ? there(helper, statements) : here(statements);
      }),
    alone: inTurn,
    close: () =>
      inTurn(async () => {
        await starting;
        await thread?.close();
      }),
  };
}
