import { StaleWriteError } from "../types.ts";
import { createCheckpoints } from "./checkpoints.ts";
import type { Statement } from "./commit.ts";
import type { Connection } from "./engine.ts";
import { createThread, type Thread } from "./thread.ts";

/** Commits with at least this many statements go to the thread; a single submission has about six. */
const THREAD_FROM = 16;

/** The only way to write to an open database: writes run one after the other. */
export interface Writer {
  /** All statements in one transaction. Throws `StaleWriteError` when an expectation fails. */
  run(statements: readonly Statement[]): Promise<void>;
  /** Runs `work`, which may write, while nothing else of this process writes. */
  alone<T>(work: () => T): Promise<T>;
  close(): Promise<void>;
}

/**
 * Writes small commits here, and large ones in a thread of its own, so the event loop continues while the disk is busy: only
 * for a file that we opened ourselves (`path`), and only if a thread is available.
 */
export function createWriter(connection: Connection, path: string | undefined, start = createThread): Writer {
  const file = path === ":memory:" ? undefined : path;
  let last: Promise<unknown> = Promise.resolve();
  let starting: Promise<void> | undefined;
  let thread: Thread | null = null;
  const checkpoints =
    file === undefined ? null : createCheckpoints(file, () => void connection.all("PRAGMA wal_checkpoint(PASSIVE)"));

  const inTurn = <T>(work: () => T | Promise<T>): Promise<T> => {
    const run = last.then(work);
    last = run.catch(() => {});
    return run;
  };

  /** null while starting, and always where threads are unavailable. */
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
      inTurn(async () => {
        const helper = file !== undefined && statements.length >= THREAD_FROM ? threadFor(file) : null;
        await (helper ? there(helper, statements) : here(statements));
        checkpoints?.committed();
      }),
    alone: inTurn,
    close: () =>
      inTurn(async () => {
        await starting;
        await thread?.close();
        await checkpoints?.close();
      }),
  };
}
