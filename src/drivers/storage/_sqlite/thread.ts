import { createRequire } from "node:module";
import { resolve } from "node:path";
import { Worker } from "node:worker_threads";
import type { Statement } from "./commit.ts";
import { type SqliteLike, type SqliteStatement, settings } from "./engine.ts";
import { type Guarded, guardExit, unguardExit } from "./exit.ts";

/** A thread with a connection of its own to one file. */
export interface Thread {
  /** Runs the statements in one transaction. Returns the index of the one whose expectation failed, if any. */
  run(statements: readonly Statement[]): Promise<number | null>;
  /** Copies the log into the file, as far as nobody is in the way. */
  checkpoint(): Promise<void>;
  /** True if the thread is there no more. */
  ended(): boolean;
  close(): Promise<void>;
}

/** The texts of a batch, each once, and the statements: which text, its parameters, and if it must change a row. */
interface Batch {
  readonly sql: readonly string[];
  readonly runs: readonly (readonly [at: number, params: readonly unknown[], expects: boolean])[];
}

/** What the thread gets at its start. */
interface Given {
  readonly path: string;
  readonly engine: string | null;
  readonly settings: readonly string[];
  readonly guarded: Guarded;
}

type Answer = { readonly ready: true } | { readonly failed: number | null } | { readonly error: string };

/**
 * Starts the thread; null if that is impossible, for example in a bundle without the engine; then use the caller's own
 * connection. The process may end while the thread idles.
 */
export async function createThread(path: string): Promise<Thread | null> {
  let worker: Worker;
  const guarded = guardExit();
  try {
    worker = new Worker(`(${loop.toString()})(require)`, {
      eval: true,
      workerData: { path: resolve(path), engine: enginePath(), settings, guarded } satisfies Given,
      // Flags of the host are not meant for these few lines, and Node 22 has warned of its SQLite once already.
      execArgv: ["--no-warnings"],
    });
  } catch {
    unguardExit(guarded);
    return null;
  }
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | null = null;
  let gone = false;
  const answered = (): Promise<Answer> =>
    new Promise((resolve, reject) => {
      waiting = { resolve, reject };
    });
  const settle = (act: (one: NonNullable<typeof waiting>) => void): void => {
    const one = waiting;
    waiting = null;
    worker.unref();
    if (one) act(one);
  };
  worker.on("message", (answer: Answer) => settle((one) => one.resolve(answer)));
  worker.on("error", (error: Error) => settle((one) => one.reject(error)));
  worker.on("exit", () => {
    gone = true;
    unguardExit(guarded);
    settle((one) => one.reject(new Error("[form-backend] sqlite: the writing thread ended")));
  });
  // Until it is up it keeps the process alive: otherwise a script that closes the store right after a large commit would end while
  // it waits for the thread, with the exit code 13 and without a word.
  const ready = await answered().catch((): Answer => ({ error: "no thread" }));
  if (!("ready" in ready)) {
    await worker.terminate();
    return null;
  }

  async function ask(message: Batch | "checkpoint"): Promise<number | null> {
    // Running work keeps the process alive.
    worker.ref();
    const answer = answered();
    worker.postMessage(message);
    const said = await answer;
    if ("error" in said) throw new Error(said.error);
    return "failed" in said ? said.failed : null;
  }

  return {
    run: (statements) => ask(batchOf(statements)),
    async checkpoint() {
      await ask("checkpoint");
    },
    ended: () => gone,
    async close() {
      if (gone) return;
      const ended = new Promise((resolve) => worker.once("exit", resolve));
      worker.ref();
      worker.postMessage(null);
      await ended;
    },
  };
}

function batchOf(statements: readonly Statement[]): Batch {
  const texts = new Map<string, number>();
  const runs = statements.map(({ sql, params, stale }) => {
    const at = texts.get(sql) ?? texts.size;
    texts.set(sql, at);
    return [at, params, stale !== null] as const;
  });
  return { sql: [...texts.keys()], runs };
}

/** Null where the running Node has SQLite itself. Throws where neither can be found from here. */
function enginePath(): string | null {
  if (process.getBuiltinModule?.("node:sqlite")) return null;
  return createRequire(import.meta.url).resolve("@photostructure/sqlite");
}

/** Runs in the thread, from its own text: it may name nothing outside itself. */
function loop(require: NodeJS.Require): void {
  const { parentPort, workerData } = require("node:worker_threads") as typeof import("node:worker_threads");
  const { path, engine, settings, guarded } = workerData as Given;
  const { state, numbers } = guarded;
  const { idle, busy } = numbers;
  /** All that calls the engine: not once the process is ending, and the process ends only after it. */
  const whole = (work: () => void): void => {
    if (Atomics.compareExchange(state, 0, idle, busy) !== idle) return;
    try {
      work();
    } finally {
      Atomics.store(state, 0, idle);
      Atomics.notify(state, 0);
    }
  };
  let database: SqliteLike;
  const statements = new Map<string, SqliteStatement>();
  const prepared = (sql: string): SqliteStatement => {
    const known = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  const run = (batch: Batch | "checkpoint"): Answer => {
    try {
      if (batch === "checkpoint") {
        prepared("PRAGMA wal_checkpoint(PASSIVE)").get();
        return { failed: null };
      }
      prepared("BEGIN IMMEDIATE").run();
      const texts = batch.sql.map(prepared);
      const failed = batch.runs.findIndex(
        ([at, params, expects]) => Number(texts[at]?.run(...params).changes) === 0 && expects,
      );
      prepared(failed < 0 ? "COMMIT" : "ROLLBACK").run();
      return { failed: failed < 0 ? null : failed };
    } catch (error) {
      try {
        prepared("ROLLBACK").run();
      } catch {
        // Rolled back already, or never begun; the first error is the one that tells.
      }
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
  whole(() => {
    const { DatabaseSync } = (engine === null ? process.getBuiltinModule("node:sqlite") : require(engine)) as {
      DatabaseSync: new (path: string) => SqliteLike;
    };
    database = new DatabaseSync(path);
    for (const setting of settings) database.exec(setting);
    parentPort?.postMessage({ ready: true });
  });
  parentPort?.on("message", (batch: Batch | "checkpoint" | null) => {
    whole(() => {
      if (batch !== null) return void parentPort.postMessage(run(batch));
      database.close();
      // Deno's port has no `close`; there, the thread closes itself.
      if (typeof parentPort.close === "function") parentPort.close();
      else (globalThis as { close?(): void }).close?.();
    });
  });
}
