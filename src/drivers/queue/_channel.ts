import { type Clock, systemClock } from "../../lib/clock.ts";
import { localQueue } from "./local.ts";
import type { Lane, QueueDriver } from "./types.ts";

/** Carries wakes to other processes; it may lose, repeat and delay them. */
export interface Channel {
  /** Tells the others; rejects when that can't be done. */
  send(lanes: readonly Lane[]): Promise<void>;
  /** Calls `onLane` for every wake of another process from now on, through every outage. Rejects where it never can. */
  hear(onLane: (lane: Lane) => void): Promise<void>;
  close(): Promise<void>;
}

/** The part of a logger we use; `console` and most loggers have this shape. */
export interface QueueLogger {
  info(message: string): void;
  warn(message: string): void;
}

const stderr = (level: string) => (message: string) =>
  void process.stderr.write(`[form-backend] ${level}: ${message}\n`);
export const stderrLogger: QueueLogger = { info: stderr("info"), warn: stderr("warn") };

/** After a message that could not be sent. */
const RETRY_MS = 1_000;

/**
 * A queue over a channel. This process's own workers are woken directly, so neither the round trip to a server nor its outage
 * delays a delivery. Other processes get at most one message in `everyMs`, with all lanes of that time, and one at a time: an
 * outage must not pile them up.
 */
export function overChannel(name: string, everyMs: number, channel: Channel, clock: Clock = systemClock): QueueDriver {
  const local = localQueue();
  const pending = new Set<Lane>();
  let busy = false;
  let hearing: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  const flush = (): void => {
    const lanes = [...pending];
    pending.clear();
    if (closing || lanes.length === 0) {
      busy = false;
      return;
    }
    const rest = (ms: number) => new Promise<void>((resolve) => clock.setTimer(resolve, ms));
    const rested = rest(everyMs);
    // The channel reports its own errors. Unsent lanes are sent with the next message, which also detects the end of the
    // outage.
    const again = (): Promise<void> => {
      for (const lane of lanes) pending.add(lane);
      return rest(RETRY_MS);
    };
    void (async () => channel.send(lanes))()
      .then(() => rested, again)
      .then(flush);
  };

  return {
    name,
    wake(lane) {
      if (closing) return;
      local.wake(lane);
      pending.add(lane);
      if (busy) return;
      busy = true;
      // The lanes of one turn go together.
      setImmediate(flush);
    },
    async listen(onWake) {
      const stop = await local.listen(onWake);
      if (closing) return stop;
      hearing ??= channel.hear((lane) => local.wake(lane));
      try {
        await hearing;
      } catch (error) {
        hearing = undefined;
        await stop();
        throw error;
      }
      return stop;
    },
    close: () => (closing ??= Promise.all([local.close(), channel.close()]).then(() => {})),
  };
}

const MAX_LANES = 16;

/** The lanes of a message. Anybody who can write to the channel may write anything there, so names and their number are bounded. */
export const lanesOf = (text: unknown): Lane[] =>
  typeof text === "string" ? text.split(",", MAX_LANES).filter((name) => /^[a-z][a-z0-9_-]{0,31}$/.test(name)) : [];

/** Reports an outage once, when its first part is down, and its end once, when all are back. */
export function outageReporter(
  logger: QueueLogger,
  back: string,
): { down(part: string, message: () => string): void; up(part: string): void } {
  const down = new Set<string>();
  return {
    down(part, message) {
      if (down.size === 0) logger.warn(message());
      down.add(part);
    },
    up(part) {
      if (down.delete(part) && down.size === 0) logger.info(back);
    },
  };
}
