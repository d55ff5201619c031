/** Time that long work may take before it lets others through. */
const SLICE_MS = 5;
/** After a slice the queue rests for as long as it took, up to this: heavy work gets half of the loop's time, never all of it. */
const MAX_REST_MS = 100;
/** While a visitor's post is under way, it rests for up to so many times as long: posts go first, and heavy work still gets on. */
const REST_BESIDE_VISITS = 4;
/** A visit counts for so long: one that waits for its own upload, or for a captcha's service, holds up nobody. */
const VISIT_MS = 100;
/** Work in the background expects another visit for so long after one began. */
const RECENT_MS = 1_000;

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
  /** A turn for a visit that is heavy itself. The queue rests after it only where other visits are under way. */
  visitTurn(key: string): Promise<void>;
  /** For long work in small steps: call and await it between them. Gives others their turn once a slice of time is over. */
  inSlices(key?: string): () => Promise<void> | undefined;
  /** Heavy work makes way for a visit until it has ended or calls `stepBack`, since it is heavy itself, or for 100 ms. */
  beforeOthers<T>(visit: (stepBack: () => void) => Promise<T>): Promise<T>;
  /** For work that is heavy elsewhere, such as in a database: waits while visits are under way, for `ms` at most. */
  makeWay(ms: number): Promise<void> | undefined;
  /** For work in the background: waits `ms` where a visit began within the last second, so that the next one finds room as well. */
  leaveRoom(ms: number): Promise<void> | undefined;
}

interface Caller {
  call(): void;
  readonly isVisit: boolean;
}

export function createTurns({ now, soon, later, stop }: Loop): Turns {
  /** Callers by their key, in the order of the keys' turns. */
  const waiting = new Map<string, Caller[]>();
  let isHanding = false;
  /** Visits under way, oldest first. */
  const visits = new Set<{ readonly since: number }>();
  /** The start of the latest visit. */
  let visited = Number.NEGATIVE_INFINITY;
  /** Time that turns took since the last rest, that of visits among it, and the end of the last turn. */
  let spent = 0;
  let ofVisits = 0;
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

  /** True if it was a visit's turn. */
  function callNext(): boolean {
    for (const [key, line] of waiting) {
      const next = line.shift();
      // The key goes to the back of the queue.
      waiting.delete(key);
      if (line.length > 0) waiting.set(key, line);
      next?.call();
      return next?.isVisit === true;
    }
    return false;
  }

  function hand(): void {
    let from = 0;
    let isVisit = false;
    soon(() => {
      from = now();
      isVisit = callNext();
    });
    // In the same phase of the loop, right after all that the caller did in its turn and before anybody else's work.
    soon(() => {
      ended = now();
      spent += ended - from;
      if (isVisit) ofVisits += ended - from;
      if (spent >= SLICE_MS) {
        const least = Math.min(spent - ofVisits, MAX_REST_MS);
        rest = { least: ended + least, most: ended + Math.min(REST_BESIDE_VISITS * spent, MAX_REST_MS) };
        spent = ofVisits = 0;
      }
      if (waiting.size > 0) next();
      else isHanding = false;
    });
  }

  function turnOf(key: string, isVisit: boolean): Promise<void> {
    return new Promise((resolve) => {
      const line = waiting.get(key);
      if (line) line.push({ call: resolve, isVisit });
      else waiting.set(key, [{ call: resolve, isVisit }]);
      if (isHanding) return;
      isHanding = true;
      // Time without heavy work was a rest too.
      spent = Math.max(0, spent - (now() - ended));
      ofVisits = Math.min(ofVisits, spent);
      next();
    });
  }

  const ownTurn = (key = ""): Promise<void> => turnOf(key, false);

  /** What waits for visits goes on once there are none. */
  function left(mark: { readonly since: number }): void {
    if (!visits.delete(mark) || visits.size > 0) return;
    for (const goOn of givingWay) goOn();
    if (timer === undefined) return;
    stop(timer);
    timer = undefined;
    next();
  }

  return {
    ownTurn,
    visitTurn: (key) => turnOf(key, true),
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
      visited = now();
      const mark = { since: visited };
      visits.add(mark);
      try {
        return await visit(() => left(mark));
      } finally {
        left(mark);
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
    leaveRoom(ms) {
      if (ms <= 0 || now() - visited > RECENT_MS) return undefined;
      return new Promise((resolve) => void later(resolve, ms));
    },
  };
}
