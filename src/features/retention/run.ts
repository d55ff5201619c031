import type { Core } from "../../core/core.ts";
import { leaveRoom } from "../../lib/turn.ts";

/** Rows of a step. */
export const BATCH = 200;
const MAX_REST_MS = 250;

/**
 * Makes the rests between the steps of long work. While posts come, each is as long as the step before it, 250 ms at most, so that
 * the database has time for them.
 */
export function restsBetweenSteps(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    await leaveRoom(Math.min(performance.now() - since, MAX_REST_MS));
    since = performance.now();
  };
}

/** Number of rows that a sweep removed. */
export interface Swept {
  /** Submissions that were removed. */
  submissions: number;
  /** Files that were removed. */
  files: number;
  /** Log entries that were removed. */
  deliveries: number;
}

/** A sweep under way. */
export interface Run {
  readonly core: Core;
  /** The time by which data is old, in epoch ms. */
  readonly now: number;
  /** The time by which marks are old, in epoch ms. */
  readonly marks: number;
  readonly swept: Swept;
  /** Says that the sweep goes on; throws where another process has taken over. */
  readonly alive: () => Promise<void>;
  /** Runs one removal. Where it fails, its data stays for the next sweep, and the others are removed all the same. */
  attempt(what: string, removal: () => Promise<void>): Promise<boolean>;
}
