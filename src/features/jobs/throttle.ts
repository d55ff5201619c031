import type { JobOutcome } from "../../model/outcome.ts";

/** Failures in a row after which a target gets little at a time. */
const TROUBLED_AFTER = 5;
export const TROUBLED_SHARE = 2;
/** A target without a run for this long starts over. */
const FORGET_MS = 10 * 60 * 1000;
/** No response, or one that says that the receiver is overloaded. */
const FAILURE = /^ERROR_(?:WEBHOOK_(?:TIMEOUT|CONNECTION|DNS|TLS|PROTOCOL|HTTP_5XX)|EMAIL_(?:TIMEOUT|CONNECTION))$/;

/** The number of runs of each target that may be in flight, from what this process has seen of the target. */
export interface Throttle {
  /** The most runs of the target at once. */
  shareOf(target: string): number;
  /** The targets with less than their full share, the one that ran last at the end. */
  troubled(): readonly string[];
  note(target: string, outcome: JobOutcome): void;
}

/**
 * A target that responds has `most` slots, or its entry in `shares`; 2 after 5 failures in a row, then doubled by each success.
 * So a dead target takes few of the slots that healthy ones need.
 */
export function createThrottle(most: number, now: () => number, shares?: ReadonlyMap<string, number>): Throttle {
  // In the order of their latest run.
  const known = new Map<string, { failures: number; share: number; at: number }>();

  const mostOf = (target: string): number => shares?.get(target) ?? most;

  return {
    shareOf: (target) => known.get(target)?.share ?? mostOf(target),
    troubled() {
      for (const [target, { at }] of known) {
        if (at > now() - FORGET_MS) break;
        known.delete(target);
      }
      return [...known].filter(([target, { share }]) => share < mostOf(target)).map(([target]) => target);
    },
    note(target, { status, code }) {
      const before = known.get(target);
      const failures = FAILURE.test(code) ? (before?.failures ?? 0) + 1 : 0;
      const full = mostOf(target);
      let share = before?.share ?? full;
      if (failures >= TROUBLED_AFTER) share = Math.min(full, TROUBLED_SHARE);
      else if (status === "succeeded") share = Math.min(full, share * 2);
      known.delete(target);
      if (failures > 0 || share < full) known.set(target, { failures, share, at: now() });
    },
  };
}
