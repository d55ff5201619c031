import { randomUUID } from "node:crypto";
import type { QueueBase, QueueEvents, QueueEventsListener, QueueEventsProducer } from "bullmq";
import { systemClock } from "../../lib/clock.ts";
import { inTime } from "../../lib/in-time.ts";
import { type Channel, lanesOf, outageReporter, overChannel, type QueueLogger, stderrLogger } from "./_channel.ts";
import type { QueueDriver } from "./types.ts";

/** Options of a Redis client, as ioredis takes them. */
export interface RedisOptions {
  readonly host?: string;
  readonly port?: number;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
  readonly tls?: object;
  readonly [option: string]: unknown;
}

/** A client of ioredis (its options are used for connections of our own), or another that BullMQ takes. */
export interface RedisClient {
  duplicate(...args: never[]): unknown;
  connect(...args: never[]): unknown;
  disconnect(...args: never[]): unknown;
}

export interface BullmqQueueOptions {
  /** A `redis://` URL, options of ioredis, or a client, which you close yourself. */
  connection: string | RedisOptions | RedisClient;
  /** Begins the name of the one key in Redis. Default `form-backend`. */
  prefix?: string;
  /** Gets a message when an outage begins or ends. Default: standard error. */
  logger?: QueueLogger;
}

const NAME = "wakes";
const EVERY_MS = 100;
const RETRY_MS = 1_000;
/** A Redis that takes longer to take a hint is as good as gone; the connection may be half open. */
const ANSWER_MS = 5_000;
/** Time that a start waits for Redis: the workers can start without it. */
const START_MS = 2_000;
const KEEP_EVENTS = 1_000;

/**
 * Wakes the workers of all processes over Redis, by BullMQ's event stream. bullmq and ioredis are loaded at first use. Without
 * Redis the workers poll; every outage is reported once, and the queue recovers by itself.
 *
 * @example createFormBackend({ baseUrl, storage, queue: bullmqQueue({ connection: { host: "127.0.0.1", port: 6379 } }) })
 */
export function bullmqQueue(options: BullmqQueueOptions): QueueDriver {
  const { connection, prefix = "form-backend", logger = stderrLogger } = options ?? {};
  const given = connectionOf(connection);
  return overChannel("bullmq", EVERY_MS, streamChannel(given, prefix, logger));
}

/*
 * The stream of events and not jobs, because every listening process has to be woken: a BullMQ job reaches one worker, which
 * may be busy. A stream also needs nobody to remove jobs, is trimmed by Redis itself, and continues from the last event after
 * an outage.
 */
function streamChannel(connection: object, prefix: string, logger: QueueLogger): Channel {
  const me = randomUUID();
  const report = outageReporter(logger, "bullmqQueue: Redis is back, other processes are woken again");
  // Hints need neither a certain version nor a certain eviction policy of Redis.
  const base = { connection, prefix, skipVersionCheck: true };
  let producer: QueueEventsProducer | undefined;
  let events: QueueEvents | undefined;
  let lastId = "0-0";
  let closed = false;

  const failed = (part: "send" | "hear") => (error: unknown) => {
    if (!closed) report.down(part, () => explain(error));
  };
  const close = (part: QueueBase | undefined): void => {
    if (!part) return;
    part.on("error", () => {});
    // In this order: the first alone would wait for a connection that may never come.
    void part.close().catch(() => {});
    void part
      .getBackend()
      .close(true)
      .catch(() => {});
  };

  return {
    async send(lanes) {
      try {
        await inTime(ANSWER_MS, async () => {
          if (!producer) {
            const { QueueEventsProducer } = await load();
            if (closed) return;
            producer = new QueueEventsProducer(NAME, base);
            producer.on("error", failed("send"));
            producer.getBackend().on("ready", () => report.up("send"));
          }
          await producer.publishEvent({ eventName: "wake", lanes: lanes.join(","), from: me }, KEEP_EVENTS);
        });
        report.up("send");
      } catch (error) {
        failed("send")(error);
        // A connection whose start failed stays dead, and one that does not respond may be: the next message makes a new one.
        close(producer);
        producer = undefined;
        throw error;
      }
    },
    async hear(onLane) {
      const { QueueEvents } = await load();
      let ready = (): void => {};
      const started = new Promise<void>((resolve) => (ready = resolve));
      void (async () => {
        while (!closed) {
          // From the last event on, at first from the oldest that is kept: a wake too many does no harm, and none is missed
          // between this call and the first read.
          events = new QueueEvents(NAME, { ...base, autorun: false, lastEventId: lastId });
          events.on("error", failed("hear"));
          events.on<WakeListener, "wake">("wake", ({ lanes, from }, id) => {
            lastId = id;
            if (from !== me) for (const lane of lanesOf(lanes)) onLane(lane);
          });
          events.getBackend().on("ready", () => report.up("hear"));
          events.waitUntilReady().then(ready, () => {});
          await events.run().catch(failed("hear"));
          close(events);
          if (!closed) await new Promise<void>((resolve) => systemClock.setTimer(resolve, RETRY_MS));
        }
      })();
      await inTime(START_MS, () => started).catch(failed("hear"));
    },
    async close() {
      closed = true;
      close(producer);
      close(events);
    },
  };
}

interface WakeListener extends QueueEventsListener {
  wake: (args: { lanes?: string; from?: string }, id: string) => void;
}

/** Options for BullMQ. Its connections have to retry forever, with short waits. */
function connectionOf(connection: BullmqQueueOptions["connection"]): object {
  const ours = { maxRetriesPerRequest: null, retryStrategy: (times: number) => Math.min(times * 200, 2_000) };
  if (typeof connection === "string") {
    if (!/^rediss?:\/\//.test(connection)) throw new TypeError(WRONG);
    return { url: connection, ...ours };
  }
  if (typeof connection !== "object" || connection === null) throw new TypeError(WRONG);
  if (typeof Reflect.get(connection, "duplicate") !== "function") return { ...connection, ...ours };
  const options: unknown = Reflect.get(connection, "options");
  const isIoredis =
    typeof Reflect.get(connection, "defineCommand") === "function" && !Reflect.get(connection, "isCluster");
  // BullMQ has prefixes of its own and refuses those of ioredis.
  return isIoredis ? { ...(options as object), keyPrefix: undefined, lazyConnect: false, ...ours } : connection;
}

const WRONG =
  "[form-backend] bullmqQueue: `connection` must be a redis:// URL, options such as { host, port, password }, or a Redis client.";

async function load(): Promise<typeof import("bullmq")> {
  try {
    return await import("bullmq");
  } catch (cause) {
    throw new Error("[form-backend] bullmqQueue: install bullmq and ioredis.", { cause });
  }
}

function explain(error: unknown): string {
  const { message = String(error), code } = error as { message?: string; code?: string };
  const what = message || code || "no reason given";
  const todo = /WRONGPASS|NOAUTH|AUTH/.test(message)
    ? "Redis refused the login: check `connection.username` and `connection.password`."
    : /NOPERM/.test(message)
      ? "The Redis user lacks a permission: allow it XADD and XREAD on the keys of `prefix`."
      : /ioredis/.test(message) && /install/i.test(message)
        ? "Install ioredis, or pass a client as `connection`."
        : "Check `connection`, and that Redis runs and can be reached from here.";
  return `bullmqQueue: other processes can't be woken (${what}). ${todo} Nothing is lost: workers look for work every second, and the connection is tried again by itself.`;
}
