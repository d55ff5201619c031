import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers";
import { createTurns, type Turns } from "../turn-queue.ts";

/**
 * All that the backends of a process share, and all that runs before a first request. A runtime that forbids this has a file of
 * its own beside this one, `process.workerd.ts`, which its bundlers choose by the export condition `workerd`.
 */

/** The queue for heavy work: there is one loop in a process. */
export const turns: Turns = createTurns({
  now: () => performance.now(),
  soon: (run) => void setImmediate(run),
  later: (run, ms) => setTimeout(run, ms),
  stop: (timer) => clearTimeout(timer as NodeJS.Timeout),
});

/** The clock and the timer by which teams share the loop's time; null where nothing may wait for a timer of another request. */
export const loop: {
  /** How long the event loop has been idle and active since its start, ms. */
  time(): { readonly idle: number; readonly active: number };
  later(run: () => void, ms: number): unknown;
} | null = {
  time: () => performance.eventLoopUtilization(),
  later: (run, ms) => setTimeout(run, ms),
};

/** Runs `work` in the next turn of the loop, with nobody waiting for it. */
export const soon = (work: () => void): void => {
  setImmediate(work).unref();
};

/** Why a backend can't serve requests here, or null. `storage` is the name of its storage driver. */
export const misplaced = (_storage: string | undefined): string | null => null;

/** Attempts at a time for all that goes out, where a runtime has few connections. */
export const connections: { readonly webhooks: number; readonly mails: number; readonly calls: number } | null = null;
