import { randomUUID } from "node:crypto";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { inTime } from "../../lib/in-time.ts";
import { type Channel, lanesOf, outageReporter, overChannel, type QueueLogger, stderrLogger } from "./_channel.ts";
import type { ListenClient, ListenPool } from "./_listen.ts";
import { type ListeningSql, overPostgresJs } from "./_postgres-js.ts";
import type { QueueDriver } from "./types.ts";

export type { ListenClient, ListenPool } from "./_listen.ts";
export type { ListeningSql } from "./_postgres-js.ts";

export interface PostgresQueueOptions {
  /**
   * A pool of `pg` or of Neon, or `sql` of postgres.js, connected to PostgreSQL itself or to a pooler that keeps sessions. One
   * connection is kept for listening.
   */
  pool: ListenPool | ListeningSql;
  /** The name that is notified. Default `form_backend_wakes`. */
  channel?: string;
  /** Gets a message when an outage begins or ends. Default: standard error. */
  logger?: QueueLogger;
  clock?: Clock;
}

const EVERY_MS = 50;
const RETRY_MS = 1_000;
/** A silently cut connection looks like an idle one, so it is tested now and then. */
const CHECK_MS = 30_000;
const ANSWER_MS = 5_000;
/** Time that a start waits for PostgreSQL: the workers can start without it. */
const START_MS = 2_000;
/** Time that `close` waits until the connection is returned. */
const CLOSE_MS = 1_000;
const CHECK = "check";

/**
 * Wakes the workers of all processes by NOTIFY, at most once in 50 ms and never within the transaction of a submission, since
 * a transaction that notifies takes a lock on the whole database when it commits. The host's pool is never closed.
 *
 * @example createFormBackend({ baseUrl, storage: postgresStorage({ pool }), queue: postgresQueue({ pool }) })
 */
export function postgresQueue(options: PostgresQueueOptions): QueueDriver {
  const { pool: given, channel = "form_backend_wakes", logger = stderrLogger, clock = systemClock } = options ?? {};
  const pool = poolOf(given);
  if (pool.options?.max === 1) {
    throw new TypeError(
      "[form-backend] postgresQueue: the pool has `max: 1`, and listening keeps one connection; give it at least 2.",
    );
  }
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(channel)) {
    throw new TypeError(
      "[form-backend] postgresQueue: `channel` must be 1 to 63 lower-case letters, digits and underscores, and begin with no digit.",
    );
  }
  return overChannel("postgres", EVERY_MS, notifyChannel(pool, channel, logger, clock), clock);
}

/** A pool in pg's shape. Throws a `TypeError` that tells what is possible. */
function poolOf(given: ListenPool | ListeningSql | undefined): ListenPool {
  const has = (...names: string[]): boolean =>
    names.every((name) => typeof (given as unknown as Record<string, unknown> | undefined)?.[name] === "function");
  if (has("unsafe", "listen")) return overPostgresJs(given as ListeningSql);
  if (has("query", "exec", "listen")) {
    throw new TypeError(
      "[form-backend] postgresQueue: `pool` is a PGlite, which is in one process; leave the option `queue` out.",
    );
  }
  if (has("query", "connect", "on")) return given as ListenPool;
  throw new TypeError(
    "[form-backend] postgresQueue: `pool` must be a pool of `pg`: new Pool({ connectionString }); or of Neon, or `sql` of postgres.js.",
  );
}

function notifyChannel(pool: ListenPool, channel: string, logger: QueueLogger, clock: Clock): Channel {
  const me = randomUUID();
  const report = outageReporter(logger, "postgresQueue: PostgreSQL notifies again");
  let closed = false;
  let listening: Promise<void> | undefined;
  let wakeUp = (): void => {};
  const failed = (part: "send" | "hear") => (error: unknown) => {
    if (!closed) report.down(part, () => explain(error));
  };
  const notify = (text: string): Promise<unknown> =>
    inTime(ANSWER_MS, () => pool.query("select pg_notify($1, $2)", [channel, `${me} ${text}`]));
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.setTimer(resolve, ms);
      wakeUp = () => {
        cancel();
        resolve();
      };
    });

  return {
    async send(lanes) {
      try {
        await notify(lanes.join(","));
        report.up("send");
      } catch (error) {
        failed("send")(error);
        throw error;
      }
    },
    async hear(onLane) {
      pool.on("error", ignore);
      await new Promise<void>((resolve) => {
        systemClock.setTimer(resolve, START_MS);
        listening = (async () => {
          while (!closed) {
            await listenUntilBroken(onLane, resolve).catch(failed("hear"));
            if (!closed) await pause(RETRY_MS);
          }
        })();
      });
    },
    async close() {
      closed = true;
      wakeUp();
      await inTime(CLOSE_MS, async () => listening).catch(() => {});
      pool.off("error", ignore);
    },
  };

  async function connected(): Promise<ListenClient> {
    const connecting = pool.connect();
    return inTime(ANSWER_MS, () => connecting).catch((error: unknown) => {
      // One that comes too late goes to the others again.
      connecting.then((late) => late.release()).catch(() => {});
      throw error;
    });
  }

  /** Listens on one connection. Rejects when that is broken, resolves after `close`. */
  async function listenUntilBroken(onLane: Parameters<Channel["hear"]>[0], ready: () => void): Promise<void> {
    const client = await connected();
    let heardCheck = (): void => {};
    let broken: Error | undefined;
    const breaks = (error?: Error): void => {
      broken ??= error ?? new Error("the connection ended");
      wakeUp();
    };
    // They stay: a connection that is being destroyed may still fail, and without a listener that ends the process.
    client.on("error", breaks);
    client.on("end", () => breaks());
    client.on("notification", ({ channel: name, payload = "" }) => {
      if (closed || name !== channel) return;
      const [from, text] = payload.split(" ", 2);
      if (from !== me) for (const lane of lanesOf(text)) onLane(lane);
      else if (text === CHECK) heardCheck();
    });
    try {
      await inTime(ANSWER_MS, () => client.query(`listen "${channel}"`));
      while (!closed && !broken) {
        const heard = new Promise<void>((resolve) => (heardCheck = resolve));
        await notify(CHECK);
        await inTime(ANSWER_MS, () => heard).catch(() => {
          throw broken ?? new Error(DEAF);
        });
        report.up("hear");
        ready();
        if (!closed && !broken) await pause(CHECK_MS);
      }
      if (broken) throw broken;
    } finally {
      // Never back among the others: it still listens.
      client.release(true);
    }
  }
}

/** A connection that breaks while idle makes the pool emit `error`, which ends the process without a listener. */
const ignore = (): void => {};

const DEAF = "a notification of our own did not come back";

function explain(error: unknown): string {
  const { message = String(error), code } = error as { message?: string; code?: string };
  const what = message || code || "no reason given";
  const todo =
    message === DEAF
      ? "Behind PgBouncer in transaction mode nothing can be listened to: give a pool that connects to PostgreSQL itself."
      : /after calling end/.test(message)
        ? "The pool was ended: call `backend.close()` before `pool.end()`."
        : /timeout exceeded when trying to connect|connection timeout|no response within/.test(message)
          ? "Check that PostgreSQL can be reached and that the pool has a connection to spare (`max`)."
          : "Check the pool's settings, and that PostgreSQL runs and can be reached from here.";
  return `postgresQueue: other processes can't be woken (${what}). ${todo} Nothing is lost: workers look for work every second, and the connection is tried again by itself.`;
}
