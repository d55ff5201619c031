import type { Core } from "../core.ts";
import type { Clock } from "../lib/clock.ts";

/** What the store's clock shows, by which it judges due times and leases. The clock of this machine may be wrong. */
export interface StoreClock {
  /** Epoch ms. */
  now(): number;
  /** Takes note of an answer of the store, judged by its clock at `judgedAt` and asked for at `askedAt` on ours. */
  note(judgedAt: number, askedAt: number): void;
}

/** From here on the difference is worth a warning. */
const WORTH_A_WARNING_MS = 30_000;

/**
 * This machine's clock, moved only where the store's answers prove that it is wrong: the store looked at its own at some
 * time between question and answer, so on machines that agree it is not moved at all.
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
      // Rather too early by the way there than too late: what is due now should be due there too.
      if (ahead < least || ahead > most) ahead = least;
      const isFar = Math.abs(ahead) > WORTH_A_WARNING_MS;
      if (isFar && !warned) {
        const seconds = Math.round(Math.abs(ahead) / 1_000);
        const how = ahead > 0 ? "behind" : "ahead of";
        warn(
          `the clock of this machine is ${seconds} s ${how} the store's; set it by NTP, for webhooks are signed with its time`,
        );
      }
      warned = isFar;
    },
  };
}

/**
 * Asks the store for its time, for a process that claims nothing and so is never told: what a post causes is due by that clock.
 * Throws what the driver throws.
 */
export async function askStoreClock({ clock, storage, storeClock }: Core): Promise<void> {
  const askedAt = clock.now();
  // No job is ever in this lane.
  const { now } = await storage.claim({ lane: "clock", leaseMs: 1, limit: 1, exclude: [], perTarget: 1 });
  storeClock.note(now, askedAt);
}
