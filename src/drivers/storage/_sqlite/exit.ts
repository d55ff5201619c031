import { BUSY_MS } from "./pragmas.ts";

/** What a thread does. Only the thread itself leaves `busy`, and nobody leaves `over`. */
const numbers = { idle: 0, busy: 1, over: 2 } as const;
/** More than a transaction takes that waits for another process's lock. */
const MAX_WAIT_MS = 2 * BUSY_MS;

/** The state of a thread, in memory that it shares with this one, and the numbers in it. */
export interface Guarded {
  readonly state: Int32Array;
  readonly numbers: typeof numbers;
}

const threads = new Set<Guarded>();

/**
 * A process that calls `process.exit()` ends its threads wherever they are, and @photostructure/sqlite then aborts the process
 * if it is in the middle of a call. So the exit waits for the running transaction, and no further one begins.
 */
function endAll(): void {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (const { state } of threads) {
    while (Atomics.compareExchange(state, 0, numbers.idle, numbers.over) === numbers.busy) {
      const left = deadline - performance.now();
      if (left <= 0) return;
      Atomics.wait(state, 0, numbers.busy, left);
    }
  }
}

/** To be shared with a thread before it starts. */
export function guardExit(): Guarded {
  const guarded = { state: new Int32Array(new SharedArrayBuffer(4)), numbers };
  // One listener, however many stores a process opens.
  if (threads.size === 0) process.on("exit", endAll);
  threads.add(guarded);
  return guarded;
}

/** Call it when the thread has ended. */
export function unguardExit(guarded: Guarded): void {
  if (threads.delete(guarded) && threads.size === 0) process.off("exit", endAll);
}
