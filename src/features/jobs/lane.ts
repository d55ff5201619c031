import type { JobOutcome } from "../../model/outcome.ts";
import type { LaneRow } from "./kinds.ts";
import { createThrottle, TROUBLED_SHARE } from "./throttle.ts";

/** Jobs of one claim at most. */
const CLAIM_LIMIT = 128;
/** Jobs fetched in advance, as multiples of the jobs that may run at once: in the lane, and of one target in one claim. */
const AHEAD = 2;
const AHEAD_OF_TARGET = 8;
/** Troubled targets that a claim leaves out by name. Those beyond are fetched ahead, and given back when their turn does not come. */
const MAX_NAMED = 100;

/** Limits of a claim. */
export interface Claimable {
  readonly limit: number;
  readonly perTarget: number;
  readonly exclude: readonly string[];
}

interface Job {
  readonly id: string;
  readonly value: { readonly target: string };
}

/**
 * One lane in this process: a queue of claimed jobs, and the rule for running them. The number of runs per target is limited; a
 * job that waits for its target uses no slot. Targets take turns.
 */
export interface Lane<J extends Job> {
  /** Limits of the next claim; `limit` is 0 if none is needed. A careful one includes targets in trouble. */
  claimable(careful: boolean): Claimable;
  /** Records the jobs of a claim, one entry for each. */
  claimed(asked: Claimable, targets: readonly string[]): void;
  /** True if there may be room for jobs that the last claim left out. */
  isWorthAClaim(): boolean;
  /** True if a careful claim may bring something that others don't. */
  hasTroubledRoom(): boolean;
  /** Lets a job wait for its turn. A row of the same job that waits already goes, since its lease was lost. */
  add(job: J): void;
  /** The next job that may run. It takes a place. */
  next(): J | undefined;
  /** Takes a place for a job that may not wait. */
  take(target: string): void;
  /** A run ended and freed its slot. Its result counts until it is stored. */
  ended(target: string, outcome: JobOutcome): void;
  stored(): void;
  /** Removes the jobs that have waited too long for their lease to last, or all of them. */
  takeBack(all?: boolean): J[];
  isWaiting(): boolean;
}

interface Held<J> {
  running: number;
  readonly waiting: { readonly job: J; readonly since: number; readonly sinceUp: number }[];
}

/** `now` is the clock that leases go by; it may be moved, so waiting is measured by the process' own time as well. */
export function createLane<J extends Job>(
  { leaseMs, inFlight, perTarget, shares }: LaneRow,
  now: () => number,
): Lane<J> {
  const throttle = createThrottle(perTarget, now, shares);
  const targets = new Map<string, Held<J>>();
  let running = 0;
  let waiting = 0;
  let unstored = 0;
  /** The only targets of which the last claim can have left something; null where it got as many as it asked for. */
  let left: ReadonlySet<string> | null = new Set();

  const heldOf = (target: string): number => {
    const held = targets.get(target);
    return held ? held.running + held.waiting.length : 0;
  };
  /** A target with this many jobs gets no more. */
  const enoughOf = (target: string): number => AHEAD * throttle.shareOf(target);
  const room = (): number => Math.max(0, inFlight - running) + Math.max(0, AHEAD * inFlight - waiting);

  function held(target: string): Held<J> {
    const known = targets.get(target) ?? { running: 0, waiting: [] };
    targets.set(target, known);
    return known;
  }

  return {
    claimable(careful) {
      const full = [...targets.keys()].filter(
        (target) => heldOf(target) >= (careful ? throttle.shareOf(target) : enoughOf(target)),
      );
      return {
        limit: Math.min(CLAIM_LIMIT, room()),
        perTarget: careful ? Math.min(perTarget, TROUBLED_SHARE) : AHEAD_OF_TARGET * perTarget,
        exclude: careful ? full : [...new Set([...full, ...throttle.troubled().slice(-MAX_NAMED)])],
      };
    },
    claimed(asked, brought) {
      const counts = new Map<string, number>();
      for (const target of brought) counts.set(target, (counts.get(target) ?? 0) + 1);
      const cut = [...counts].filter(([, count]) => count >= asked.perTarget).map(([target]) => target);
      left = brought.length < asked.limit ? new Set([...asked.exclude, ...cut]) : null;
    },
    isWorthAClaim() {
      if (running >= inFlight && waiting > (AHEAD * inFlight) / 4) return false;
      if (room() === 0 || left === null) return room() > 0;
      const troubled = new Set(throttle.troubled());
      return [...left].some((target) => !troubled.has(target) && heldOf(target) < enoughOf(target));
    },
    hasTroubledRoom: () =>
      room() > 0 && throttle.troubled().some((target) => heldOf(target) < throttle.shareOf(target)),
    add(job) {
      const queue = held(job.value.target).waiting;
      const entry = { job, since: now(), sinceUp: performance.now() };
      const known = queue.findIndex((other) => other.job.id === job.id);
      if (known !== -1) queue[known] = entry;
      else {
        queue.push(entry);
        waiting++;
      }
    },
    next() {
      if (running >= inFlight || unstored >= inFlight) return undefined;
      for (const [target, entry] of targets) {
        const first = entry.running < throttle.shareOf(target) ? entry.waiting.shift() : undefined;
        if (!first) continue;
        waiting--;
        running++;
        entry.running++;
        // After all others.
        targets.delete(target);
        targets.set(target, entry);
        return first.job;
      }
      return undefined;
    },
    take(target) {
      running++;
      held(target).running++;
    },
    ended(target, outcome) {
      running--;
      unstored++;
      const entry = held(target);
      entry.running--;
      if (entry.running + entry.waiting.length === 0) targets.delete(target);
      // One that was put elsewhere says nothing of its target.
      if (!outcome.moved) throttle.note(target, outcome);
    },
    stored: () => void unstored--,
    takeBack(all = false) {
      const taken: J[] = [];
      if (waiting === 0) return taken;
      // A run may take a quarter of a lease; half of it remains for a job that has waited as long.
      const most = leaseMs / 4;
      const at = now();
      const atUp = performance.now();
      const isLate = ({ since, sinceUp }: Held<J>["waiting"][number]): boolean =>
        all || at - since >= most || atUp - sinceUp >= most;
      for (const [target, entry] of targets) {
        while (entry.waiting[0] && isLate(entry.waiting[0])) taken.push(entry.waiting.shift()!.job);
        if (entry.running + entry.waiting.length === 0) targets.delete(target);
      }
      waiting -= taken.length;
      return taken;
    },
    isWaiting: () => waiting > 0,
  };
}
