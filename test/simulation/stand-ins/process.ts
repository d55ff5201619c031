// In the place of `src/lib/runtime/process.ts`: one queue for the heavy work of each simulated process.
import { createTurns, type Turns } from "../../../src/lib/turn-queue.ts";
import { ownState } from "../globals.ts";

const newTurns = (): Turns =>
  createTurns({
    now: () => performance.now(),
    soon: (run) => void setImmediate(run),
    later: (run, ms) => setTimeout(run, ms),
    stop: (timer) => clearTimeout(timer as NodeJS.Timeout),
  });
const own = (): Turns => ownState(newTurns);

export const turns: Turns = {
  ownTurn: (key) => own().ownTurn(key),
  visitTurn: (key) => own().visitTurn(key),
  inSlices: (key) => own().inSlices(key),
  beforeOthers: (visit) => own().beforeOthers(visit),
  makeWay: (ms) => own().makeWay(ms),
  leaveRoom: (ms) => own().leaveRoom(ms),
};

export const loop = {
  time: () => performance.eventLoopUtilization(),
  later: (run: () => void, ms: number) => setTimeout(run, ms),
};

export const soon = (work: () => void): void => void setImmediate(work);

export const misplaced = (): null => null;
export const connections = null;
