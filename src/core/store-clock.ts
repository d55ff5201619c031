import type { StorageDriver } from "../drivers/storage/types.ts";
import type { Clock } from "../lib/clock.ts";

/** The time of the store's clock, which decides about due times and leases. This machine's clock may be wrong. */
export interface StoreClock {
  /** Epoch ms. */
  now(): number;
  /** Records a time from the store: `judgedAt` by its clock, for a request sent at `askedAt` by ours. */
  note(judgedAt: number, askedAt: number): void;
}

/** From here on the difference is worth a warning. */
const WORTH_A_WARNING_MS = 30_000;

/**
 * This machine's clock, corrected only if the store's times prove it wrong. The store read its clock at some moment between
 * request and response, so on machines that agree there is no correction.
 */
export function createStoreClock(clock: Clock, warn: (message: string) => void): StoreClock {
  let ahead = 0;
  let warned = false;
  return {
    now: () => clock.now() + ahead,
    note(judgedAt, askedAt) {
      const least = judgedAt - clock.now();
      // In whole milliseconds the store's moment may seem to lie before the question.
      const most = judgedAt - askedAt + 1;
      // Err on early, by one trip: a job that is due now must be due by the store's clock too.
      if (ahead < least || ahead > most) ahead = least;
      const isFar = Math.abs(ahead) > WORTH_A_WARNING_MS;
      if (isFar && !warned) {
        const seconds = Math.round(Math.abs(ahead) / 1_000);
        const how = ahead > 0 ? "behind" : "ahead of";
        warn(
          `the clock of this machine is ${seconds} s ${how} the store's; turn on NTP: webhooks are signed with its time`,
        );
      }
      warned = isFar;
    },
  };
}

/**
 * Asks the store for its time, for a process that claims no jobs and so never learns it; jobs of a post are due by that clock.
 * Throws errors of the driver.
 */
export async function askStoreClock({
  clock,
  storage,
  storeClock,
}: {
  readonly clock: Clock;
  readonly storage: Pick<StorageDriver, "claim">;
  readonly storeClock: StoreClock;
}): Promise<void> {
  const askedAt = clock.now();
  // A claim of nothing returns the time and takes no job.
  const { now } = await storage.claim({ lane: "webhook", leaseMs: 1, limit: 0, exclude: [], perTarget: 1 });
  storeClock.note(now, askedAt);
}
