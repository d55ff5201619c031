import type { StorageDriver } from "../../drivers/storage/types.ts";
import type { Clock } from "../../lib/clock.ts";
import { HOUR_MS } from "../../lib/clock.ts";
import { describe } from "../../lib/message.ts";
import type { ObjectStorageLike } from "./bindings.ts";

/** The shortest time between two alarms, so that a job which nothing can run now does not keep the object busy. */
const LEAST_MS = 250;
/** A run that lasts longer goes on beside the next one: an alarm's handler may take 15 minutes. */
const RUN_MS = 60_000;
/** Waits after failed runs. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** The parts of a backend that an alarm runs. */
export interface Due {
  tick(): Promise<unknown>;
  sweep(): Promise<unknown>;
  nextDueAt(): Promise<number | null>;
}

/** The one alarm of an object, in place of all timers. */
export interface Alarms {
  /** Reads which alarm is set. Before anything else. */
  load(): Promise<void>;
  /** Has the alarm ring at this time of the backend's clock, unless it rings earlier. */
  at(due: number): Promise<void>;
  /** The store, with an alarm for each job that it stores. */
  watching(storage: StorageDriver): StorageDriver;
  /** Runs what is due, and sets the next alarm whatever happens. Never rejects. */
  ring(due: Due): Promise<void>;
}

export function createAlarms(
  storage: Pick<ObjectStorageLike, "getAlarm" | "setAlarm">,
  { clock, error }: { clock: Pick<Clock, "now">; error: (message: string) => void },
): Alarms {
  /** When it rings, by the machine's clock. */
  let rings: number | null = null;
  let sweepAt = 0;
  let failures = 0;

  async function at(due: number): Promise<void> {
    // The backend's clock may be another one, in tests.
    const time = Date.now() + Math.max(0, due - clock.now());
    if (rings !== null && rings <= time) return;
    rings = time;
    await storage.setAlarm(time);
  }

  async function run({ tick, sweep }: Due): Promise<void> {
    await tick();
    if (clock.now() < sweepAt) return;
    await sweep();
    sweepAt = clock.now() + HOUR_MS;
  }

  return {
    async load() {
      rings = await storage.getAlarm();
    },
    at,
    watching: (store) => ({
      ...store,
      async commit(writes) {
        const due = writes.flatMap((write) =>
          write.op === "put" && write.collection === "jobs" && typeof write.value["due_at"] === "string"
            ? [Date.parse(write.value["due_at"])]
            : [],
        );
        // First, and in the same turn: an object that ends in between has an alarm without a job, and never a job without an alarm.
        const set = due.length > 0 ? at(Math.min(...due)) : undefined;
        set?.catch(() => {});
        await store.commit(writes);
        await set;
      },
    }),
    async ring(backend) {
      rings = null;
      let wait = LEAST_MS;
      try {
        await within(run(backend), RUN_MS);
        failures = 0;
      } catch (cause) {
        wait = Math.min(FIRST_WAIT_MS * 2 ** failures++, LONGEST_WAIT_MS);
        error(`an alarm's run failed; the next one is in ${wait / 1_000} s: ${describe(cause)}`);
      }
      const next = await backend.nextDueAt().catch(() => clock.now() + wait);
      const due = Math.min(next ?? Number.POSITIVE_INFINITY, Math.max(sweepAt, clock.now() + wait));
      await at(Math.max(due, clock.now() + wait)).catch((cause: unknown) => {
        // Once more, since without an alarm nothing would run until the next post.
        error(`the alarm could not be set: ${describe(cause)}`);
        rings = null;
        return at(clock.now() + LONGEST_WAIT_MS);
      });
    },
  };
}

/** Ends after `ms` in any case; a failure after that is told to nobody, since its jobs are due again by then. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  work.catch(() => {});
  await Promise.race([work, over]).finally(() => clearTimeout(timer));
}
