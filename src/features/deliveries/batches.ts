import { systemClock } from "../../lib/clock.ts";

/** Jobs of one claim come within a few turns of the event loop, since they read together. */
const LINGER_MS = 10;
const LINGER_TURNS = 10;
/** A wait that is not worth going back to the queue for. */
const SHORT_MS = 250;
const MAX_KEPT = 1_000;

/** The rate of a service. */
export interface Pace {
  /** Members of a batch. */
  readonly entries: number;
  /** The time that a request takes of the rate, in ms. */
  readonly ms: number;
  /** Requests of a usual batch. */
  readonly requests: number;
}

/** The part of the rate that a batch took. */
export interface Spent {
  readonly requests: number;
  /** The service asked for this wait. */
  readonly waitMs: number;
}

/** A batch that is collected or under way, and the rate that it belongs to. */
interface Rate {
  /** A batch is under way. */
  busy: boolean;
  /** The earliest time of the next one. */
  opensAt: number;
  /** The last turn that was given out, and to how many. */
  turn: { at: number; given: number };
  open: Open | undefined;
}

interface Open {
  /** Members of one batch go to one webhook, in one version of its settings. */
  readonly group: string;
  readonly members: unknown[];
  readonly done: Promise<unknown>;
  cancel: () => void;
  touch: () => void;
}

/** Collects what is due at the same time into batches, within the rate of each service. */
export interface Batches {
  /** The time to come again, if there is no room now; else null. */
  turnFor(rate: string, pace: Pace): number | null;
  /** Adds a member to the batch that is collected, which `run` sends; or the time to come again. */
  join<M, R>(
    place: { readonly rate: string; readonly group: string; readonly pace: Pace },
    member: M,
    run: (members: readonly M[], spent: (spent: Spent) => void) => Promise<readonly R[]>,
  ): Promise<R> | number;
}

/**
 * One batch of a rate at a time. Whoever comes while none can begin gets a turn of its own, after those that were given out: it
 * waits in the store's queue and holds no place of a lane. Turns keep the order in which they were asked for.
 */
export function createBatches(now: () => number): Batches {
  const rates = new Map<string, Rate>();

  function rateOf(name: string): Rate {
    const known = rates.get(name);
    if (known) return known;
    if (rates.size >= MAX_KEPT) {
      for (const [other, { busy, open, opensAt, turn }] of rates)
        if (!busy && !open && Math.max(opensAt, turn.at) < now()) rates.delete(other);
    }
    const rate: Rate = { busy: false, opensAt: 0, turn: { at: 0, given: 0 }, open: undefined };
    rates.set(name, rate);
    return rate;
  }

  const isClosed = ({ busy, opensAt }: Rate): boolean => busy || opensAt - now() > SHORT_MS;

  function turn(rate: Rate, { entries, ms: each, requests }: Pace): number {
    const ms = each * requests;
    const earliest = Math.max(rate.opensAt, now() + ms);
    if (rate.turn.at < earliest) rate.turn = { at: earliest, given: 0 };
    if (rate.turn.given >= entries) rate.turn = { at: rate.turn.at + ms, given: 0 };
    rate.turn.given++;
    return rate.turn.at;
  }

  return {
    turnFor(name, pace) {
      const rate = rateOf(name);
      return isClosed(rate) || (rate.open && rate.open.members.length >= pace.entries) ? turn(rate, pace) : null;
    },
    join(place, member, run) {
      const rate = rateOf(place.rate);
      const { open } = rate;
      if (isClosed(rate) || (open && (open.group !== place.group || open.members.length >= place.pace.entries)))
        return turn(rate, place.pace);
      const batch = open ?? opened(rate, place.group, place.pace, run as never);
      const index = batch.members.push(member) - 1;
      batch.touch();
      return batch.done.then((results) => (results as readonly never[])[index] as never);
    },
  };

  function opened(
    rate: Rate,
    group: string,
    { entries, ms, requests: usual }: Pace,
    run: (members: readonly unknown[], spent: (spent: Spent) => void) => Promise<readonly unknown[]>,
  ): Open {
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const open: Open = {
      group,
      members: [],
      cancel: () => {},
      touch() {
        open.cancel();
        const wait = Math.max(rate.opensAt - now(), open.members.length >= entries ? 0 : LINGER_MS);
        const { length } = open.members;
        const unlessMore = (turns: number): void => {
          if (open.members.length > length) return;
          if (turns === 0 || length >= entries) begin();
          else setImmediate(() => unlessMore(turns - 1));
        };
        // Of real time: a clock of tests stands still during a run. A busy process needs more turns than time.
        open.cancel = systemClock.setTimer(() => unlessMore(LINGER_TURNS), wait);
      },
      done: begun.then(async () => {
        rate.open = undefined;
        rate.busy = true;
        const from = now();
        rate.opensAt = from + ms * usual;
        try {
          return await run(open.members, ({ requests, waitMs }) => {
            rate.opensAt = Math.max(rate.opensAt, from + ms * requests, now() + waitMs);
          });
        } finally {
          rate.busy = false;
        }
      }),
    };
    rate.open = open;
    return open;
  }
}
