import { setTimeout } from "node:timers/promises";
import { errorMessage } from "../../../lib/message.ts";
import { BUSY_MS } from "./pragmas.ts";

const LONGEST_PAUSE_MS = 25;

/** True for an error that the end of another transaction cures: of another connection, or of the host on the same handle. */
export const isTaken = (error: unknown): boolean => /is locked|has a transaction open/.test(errorMessage(error));

/** Repeats work that fails while somebody else writes, with pauses in which the event loop goes on. Gives up after `ms`. */
export async function patiently<T>(work: () => T | Promise<T>, ms = BUSY_MS): Promise<T> {
  const until = performance.now() + ms;
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (!isTaken(error) || performance.now() >= until) throw error;
    }
    await setTimeout(Math.min(tried, LONGEST_PAUSE_MS) * (0.5 + Math.random()));
  }
}
