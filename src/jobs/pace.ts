import type { JobOutcome } from "./outcome.ts";

/** Failures in a row after which a target gets little at a time. */
const TROUBLED_AFTER = 5;
const TROUBLED_SHARE = 2;
/** After so long without a run of it, a target begins anew. */
const FORGET_MS = 10 * 60 * 1000;
/** No answer, or one that says that the receiver does not cope. */
const FAILURE = /^ERROR_WEBHOOK_(?:TIMEOUT|CONNECTION|DNS|TLS|PROTOCOL|HTTP_5XX)$/;

/** How many runs of each target may be in flight, as this process has seen the target behave. */
export interface Pace {
  /** At most so many runs of the target at once. */
  shareOf(target: string): number;
  /** At most so many of one target in a claim, whatever the target. */
  perClaim(): number;
  note(target: string, outcome: JobOutcome): void;
}

/**
 * `most` for whoever answers; 2 after 5 failures in a row, then doubled by each success. A dead target so holds few of the
 * workers that healthy ones need.
 */
export function createPace(most: number, now: () => number): Pace {
  // In the order of their latest run.
  const troubled = new Map<string, { failures: number; share: number; at: number }>();

  return {
    shareOf: (target) => troubled.get(target)?.share ?? most,
    perClaim() {
      for (const [target, { at }] of troubled) {
        if (at > now() - FORGET_MS) break;
        troubled.delete(target);
      }
      const half = Math.ceil(most / 2);
      for (const { share } of troubled.values()) if (share < most) return Math.min(half, TROUBLED_SHARE);
      return half;
    },
    note(target, { status, code }) {
      const before = troubled.get(target);
      const failures = FAILURE.test(code) ? (before?.failures ?? 0) + 1 : 0;
      let share = before?.share ?? most;
      if (failures >= TROUBLED_AFTER) share = Math.min(most, TROUBLED_SHARE);
      else if (status === "succeeded") share = Math.min(most, share * 2);
      troubled.delete(target);
      if (failures > 0 || share < most) troubled.set(target, { failures, share, at: now() });
    },
  };
}
