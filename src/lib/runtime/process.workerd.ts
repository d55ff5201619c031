import type { Turns } from "../turn-queue.ts";
import type { connections as processConnections, loop as processLoop } from "./process.ts";

/**
 * For Cloudflare Workers. A process there has many objects and requests, and one that waits for a timer or a promise of another
 * hangs once that one has ended. So each waits for itself alone. Timers outside of a request are refused, too.
 */

/** The clock stands still while code runs, so slices are counted in steps. */
const STEPS = 64;

const ownTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const turns: Turns = {
  ownTurn,
  visitTurn: ownTurn,
  inSlices() {
    let steps = 0;
    return () => (++steps % STEPS === 0 ? ownTurn() : undefined);
  },
  beforeOthers: (visit) => visit(() => {}),
  makeWay: () => undefined,
  leaveRoom: () => undefined,
};

export const loop: typeof processLoop = null;

export const soon = (_work: () => void): void => {};

/** The driver whose store is the object that the backend runs in. */
const OF_OBJECT = "durable-object";

export const misplaced = (storage: string | undefined): string | null =>
  storage === OF_OBJECT
    ? null
    : "[form-backend] on Cloudflare Workers the backend runs in a Durable Object, and this one runs in a plain Worker: replace " +
      '`createFormBackend({ … })` with `export class Forms extends formBackendObject((env) => ({ … })) {}` from "form-backend/cloudflare"';

/** Workers have six connections at a time; more would wait unseen, and their wait would count as the receiver's. */
export const connections: typeof processConnections = { webhooks: 3, mails: 2, calls: 1 };
