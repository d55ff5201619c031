import { turns } from "./runtime/process.ts";

export { createTurns } from "./turn-queue.ts";

/** There is one loop in a process, so there is one queue. */
export const { ownTurn, visitTurn, inSlices, beforeOthers, makeWay, leaveRoom } = turns;

/** The result of long work that yields between small steps, each a small part of a slice. */
export async function stepwise<T>(steps: Iterator<void, T>, key?: string): Promise<T> {
  const pause = inSlices(key);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}
