import { type Outcome, stopped } from "./outcome.ts";

/** A running request. `over` empties it, so that remaining references keep nothing else in memory. */
export interface Stoppable {
  readonly signal: AbortSignal | undefined;
  /** On the clock of `performance.now()`. */
  readonly endsAt: number;
  stop?: ((outcome: Outcome) => void) | undefined;
  /** The outcome of one that took too long. */
  late?: (() => Outcome) | undefined;
}

/** Every running request of a client, and its early end. */
export interface UnderWay {
  began(request: Stoppable): void;
  over(request: Stoppable): void;
  stopAll(): void;
}

/**
 * One timer for all deadlines and one listener for each signal: a timer and two listeners for each request took a third of its
 * cost, most of it in the garbage collector.
 */
export function createUnderWay(): UnderWay {
  const requests = new Set<Stoppable>();
  const heard = new WeakSet<AbortSignal>();
  let timer: NodeJS.Timeout | undefined;
  let firesAt = Infinity;

  function listen(signal: AbortSignal): void {
    if (heard.has(signal)) return;
    heard.add(signal);
    signal.addEventListener("abort", () => stopWhere((request) => request.signal === signal, stopped), { once: true });
  }

  function stopWhere(is: (request: Stoppable) => boolean, outcome: (request: Stoppable) => Outcome | undefined): void {
    for (const request of [...requests].filter(is)) request.stop?.(outcome(request) ?? stopped());
  }

  function plan(at: number): void {
    if (at >= firesAt) return;
    clearTimeout(timer);
    firesAt = at;
    // Running requests keep the process alive by themselves. Under load the timer simply fires, which is cheaper than a new
    // one.
    timer = setTimeout(look, Math.max(0, at - performance.now())).unref();
  }

  function look(): void {
    const now = performance.now();
    const late = new Set([...requests].filter(({ endsAt }) => endsAt <= now));
    firesAt = Infinity;
    for (const request of requests) if (!late.has(request)) plan(request.endsAt);
    // A process that was suspended finds its limit passed and the response unread, so it first reads the data that has arrived.
    if (late.size > 0)
      setImmediate(() =>
        stopWhere(
          (request) => late.has(request),
          ({ late: is }) => is?.(),
        ),
      );
  }

  return {
    began(request) {
      requests.add(request);
      if (request.signal) listen(request.signal);
      plan(request.endsAt);
    },
    over(request) {
      requests.delete(request);
      // A set with many additions and removals is laid out again every few calls, and its former layouts keep their members in
      // memory until a full garbage collection.
      request.stop = request.late = undefined;
    },
    stopAll: () => stopWhere(() => true, stopped),
  };
}
