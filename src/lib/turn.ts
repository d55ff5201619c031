/** Time that long work may take before it lets others through. */
const SLICE_MS = 5;
/** After a slice the queue rests for as long as it took, up to this: heavy work gets half of the loop's time, never all of it. */
const MAX_REST_MS = 100;
/** While a visitor's post is under way, it rests for up to so many times as long: posts go first, and heavy work still gets on. */
const REST_BESIDE_VISITS = 4;
/** A visit counts for so long: one that waits for its own upload, or for a captcha's service, holds up nobody. */
const VISIT_MS = 100;

/** The clock and the timers of a queue. */
interface Loop {
  now(): number;
  soon(run: () => void): void;
  later(run: () => void, ms: number): unknown;
  stop(timer: unknown): void;
}

/** One queue for the heavy work of an event loop, and the visits that it makes way for. */
export interface Turns {
  /**
   * A turn of the event loop for the caller alone among all that wait here: `setImmediate` by itself wakes everybody in the same
   * turn. Keys, such as teams, take turns, however many callers wait under one of them.
   */
  ownTurn(key?: string): Promise<void>;
  /** For long work in small steps: to be called, and awaited, between them. Gives others their turn once a slice of time is over. */
  inSlices(key?: string): () => Promise<void> | undefined;
  /** Heavy work makes way for a visit until it has ended, or for 100 ms. */
  beforeOthers<T>(visit: () => Promise<T>): Promise<T>;
  /** For work that is heavy elsewhere, such as in a database: waits while visits are under way, for `ms` at most. */
  makeWay(ms: number): Promise<void> | undefined;
}

export function createTurns({ now, soon, later, stop }: Loop): Turns {
  /** Callers by their key, in the order of the keys' turns. */
  const waiting = new Map<string, (() => void)[]>();
  let isHanding = false;
  /** Visits under way, oldest first. */
  const visits = new Set<{ readonly since: number }>();
  /** Time that turns took since the last rest, and the end of the last one. */
  let spent = 0;
  let ended = 0;
  /** The running rest: its end, and its end while there are visits. */
  let rest = { least: 0, most: 0 };
  let timer: unknown;
  /** Ends of waits that `makeWay` began. */
  const givingWay = new Set<() => void>();

  function isVisited(): boolean {
    for (const { since } of visits) if (now() - since < VISIT_MS) return true;
    return false;
  }

  function next(): void {
    const left = (isVisited() ? rest.most : rest.least) - now();
    if (left <= 0) {
      hand();
      return;
    }
    timer = later(() => {
      timer = undefined;
      next();
    }, left);
  }

  function callNext(): void {
    for (const [key, line] of waiting) {
      const call = line.shift();
      // The key goes to the back of the queue.
      waiting.delete(key);
      if (line.length > 0) waiting.set(key, line);
      call?.();
      return;
    }
  }

  function hand(): void {
    let from = 0;
    soon(() => {
      from = now();
      callNext();
    });
    // In the same phase of the loop, right after all that the caller did in its turn and before anybody else's work.
    soon(() => {
      ended = now();
      spent += ended - from;
      if (spent >= SLICE_MS) {
        const least = Math.min(spent, MAX_REST_MS);
        rest = { least: ended + least, most: ended + Math.min(REST_BESIDE_VISITS * spent, MAX_REST_MS) };
        spent = 0;
      }
      if (waiting.size > 0) next();
      else isHanding = false;
    });
  }

  function ownTurn(key = ""): Promise<void> {
    return new Promise((resolve) => {
      const line = waiting.get(key);
      if (line) line.push(resolve);
      else waiting.set(key, [resolve]);
      if (isHanding) return;
      isHanding = true;
      // Time without heavy work was a rest too.
      spent = Math.max(0, spent - (now() - ended));
      next();
    });
  }

  return {
    ownTurn,
    inSlices(key) {
      let since = now();
      return () => {
        if (now() - since < SLICE_MS) return undefined;
        return ownTurn(key).then(() => {
          since = now();
        });
      };
    },
    async beforeOthers(visit) {
      const mark = { since: now() };
      visits.add(mark);
      try {
        return await visit();
      } finally {
        visits.delete(mark);
        if (visits.size === 0) for (const goOn of givingWay) goOn();
        if (visits.size === 0 && timer !== undefined) {
          stop(timer);
          timer = undefined;
          next();
        }
      }
    },
    makeWay(ms) {
      if (ms <= 0 || !isVisited()) return undefined;
      return new Promise((resolve) => {
        const goOn = (): void => {
          stop(wait);
          givingWay.delete(goOn);
          resolve();
        };
        const wait = later(goOn, ms);
        givingWay.add(goOn);
      });
    },
  };
}

/** There is one loop in a process, so there is one queue. */
export const { ownTurn, inSlices, beforeOthers, makeWay } = createTurns({
  now: () => performance.now(),
  soon: (run) => void setImmediate(run),
  later: (run, ms) => setTimeout(run, ms),
  stop: (timer) => clearTimeout(timer as NodeJS.Timeout),
});

/** The result of long work that yields between small steps, each a small part of a slice. */
export async function stepwise<T>(steps: Iterator<void, T>, key?: string): Promise<T> {
  const pause = inSlices(key);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}
