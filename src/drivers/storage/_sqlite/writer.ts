import { setImmediate } from "node:timers/promises";
import { StaleWriteError } from "../types.ts";
import { createCheckpoints } from "./checkpoints.ts";
import type { Statement } from "./commit.ts";
import type { Connection } from "./connection.ts";
import { createThread, type Thread } from "./thread.ts";

/** Commits with at least this many statements go to the thread; a single submission has about six. */
const THREAD_FROM = 16;
/** After so many commits here in a row that took this long, the disk counts as slow for a while, and small commits go to the thread, too. */
const SLOW_MS = 2;
const SLOW_COMMITS = 4;
const SLOW_FOR_MS = 1_000;

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
 * for a file that we opened ourselves (`path`), and only if a thread is available. On a slow disk the thread writes small ones
 * as well: it costs them about 0.1 ms, and a sync here stops every request for as long as it takes.
 */
export function createWriter(
  connection: Connection,
  path: string | undefined,
  start = createThread,
  now = (): number => performance.now(),
): Writer {
  const file = path === ":memory:" ? undefined : path;
  let last: Promise<unknown> = Promise.resolve();
  let starting: Promise<void> | undefined;
  let thread: Thread | null = null;
  // One slow commit among quick ones is a passing checkpoint or another process, which the thread would not avoid.
  let slow = 0;
  let slowUntil = -Infinity;
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

  async function here(statements: readonly Statement[]): Promise<void> {
    let began = 0;
    await connection.patiently(() => {
      began = now();
      connection.transaction(() => {
        for (const { sql, params, stale } of statements) {
          if (connection.run(sql, params) === 0 && stale) throw new StaleWriteError(stale.collection, stale.id);
        }
      });
    });
    const ended = now();
    slow = ended - began >= SLOW_MS ? slow + 1 : 0;
    if (slow >= SLOW_COMMITS) slowUntil = ended + SLOW_FOR_MS;
  }

  async function there(thread: Thread, statements: readonly Statement[]): Promise<void> {
    const failed = await thread.run(statements);
    const stale = failed === null ? null : statements[failed]?.stale;
    if (stale) throw new StaleWriteError(stale.collection, stale.id);
  }

  return {
    run: (statements) =>
      inTurn(async () => {
        const isForThread = statements.length >= THREAD_FROM || now() < slowUntil;
        const helper = file !== undefined && isForThread ? threadFor(file) : null;
        if (helper) await there(helper, statements);
        else {
          await here(statements);
          // A caller that awaits one large commit after another would otherwise keep the event loop from turning: no timer
          // would run, and the thread that is about to start could never say that it has.
          if (isForThread) await setImmediate();
        }
        checkpoints?.committed();
      }),
    alone: (work) => inTurn(() => connection.patiently(work)),
    close: () =>
      inTurn(async () => {
        await starting;
        await thread?.close();
        await checkpoints?.close();
      }),
  };
}
