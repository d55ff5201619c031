import { createHeap } from "./heap.ts";
import type { Random } from "./random.ts";
import { inTurns } from "./threads.ts";
import type { Version } from "./versions.ts";

/** One process of the simulated system. */
export interface Process {
  readonly name: string;
  /** False from its crash on: nothing of it runs any more. */
  alive: boolean;
  /** Milliseconds by which its clock is ahead of the world's. */
  drift: number;
  /** Until then it stands still: what would have happened in it happens at that time, in the same order. */
  frozenUntil: number;
  /** Timers and waits that it has begun and that have not ended. */
  pending: number;
  /** State that a real process would have for itself, by what made it. */
  readonly own: Map<unknown, unknown>;
  /** The version whose records it makes. */
  readonly version: Version;
}

/** Time, and the order of everything that happens. Only one event runs at a time; its promises settle before the next one begins. */
export interface World {
  readonly random: Random;
  /** Epoch ms, by the clock that no process sees. */
  now(): number;
  /** The process whose event is running; null for what lies outside of all of them. */
  current(): Process | null;
  /** Plans an event of a process, or of the world outside. Returns a function that cancels it. */
  at(time: number, owner: Process | null, run: () => void): () => void;
  /** Plans an event `ms` from now. */
  after(ms: number, owner: Process | null, run: () => void): () => void;
  /** Resolves for the world outside after `ms`. */
  pause(ms: number): Promise<void>;
  /** The network that `fetch` reaches. Throws with the place where nothing is to be reached. */
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Adds a line to the history. */
  note(text: string): void;
  /** Runs events until `isOver` or until none is left. Throws when there are more than `limit` of them. */
  run(isOver: () => boolean, limit?: number): Promise<void>;
  /** Adds to the digest alone. */
  mix(text: string): void;
  /** A digest of the history so far: of its lines, and of the time and the process of each event. */
  digest(): string;
  readonly history: readonly string[];
  /** Events so far. */
  events(): number;
}

interface Event {
  time: number;
  /** The time that it was planned for, and an order for those of one moment. */
  readonly planned: number;
  readonly tie: number;
  readonly owner: Process | null;
  run: (() => void) | undefined;
}

/** The world of one seed. `keep`: keeps the whole history, for reading; its digest is always kept. */
export function createWorld(random: Random, start: number, keep: boolean): World {
  const queue = createHeap<Event>((a, b) =>
    a.time !== b.time ? a.time < b.time : a.planned !== b.planned ? a.planned < b.planned : a.tie < b.tie,
  );
  const order = random.fork("order");
  const mix = (word: number): void => {
    digest = Math.imul(digest ^ word, 0x01000193);
  };
  const mixText = (text: string): void => {
    for (let n = 0; n < text.length; n++) mix(text.charCodeAt(n));
  };
  const history: string[] = [];
  let time = start;
  let current: Process | null = null;
  let digest = 0x811c9dc5;
  let count = 0;
  // Within a process, what is planned first for a moment comes first, as in Node; between processes the seed decides.
  const ties = new Map<Process | null, { time: number; tie: number }>();

  function tieOf(owner: Process | null, at: number): number {
    const last = ties.get(owner);
    const tie = last?.time === at ? last.tie + order.next() : order.next();
    ties.set(owner, { time: at, tie });
    return tie;
  }

  const world: World = {
    random,
    history,
    now: () => time,
    current: () => current,
    at(at, owner, run) {
      const planned = Math.max(at, time);
      const event: Event = { time: planned, planned, tie: tieOf(owner, planned), owner, run };
      queue.push(event);
      if (owner) owner.pending++;
      return () => {
        if (event.run && owner) owner.pending--;
        event.run = undefined;
      };
    },
    after: (ms, owner, run) => world.at(time + ms, owner, run),
    fetch: () => {
      throw new Error("the network was asked for, and the simulation has none");
    },
    pause: (ms) => new Promise((resolve) => void world.after(ms, null, resolve)),
    note(text) {
      const line = `${((time - start) / 1_000).toFixed(3).padStart(10)} ${(current?.name ?? "world").padEnd(6)} ${text}`;
      mixText(line);
      if (keep) history.push(line);
    },
    run: (isOver, limit = 60_000) =>
      inTurns(() => {
        current = null;
        if (isOver()) return false;
        let event = queue.pop();
        for (; event; event = queue.pop()) {
          const { run, owner } = event;
          if (!run) continue;
          if (owner?.alive && owner.frozenUntil > event.time) {
            event.time = owner.frozenUntil;
            queue.push(event);
            continue;
          }
          event.run = undefined;
          if (owner) owner.pending--;
          if (owner && !owner.alive) continue;
          if (++count > limit) throw new Error(`the simulation did not come to rest within ${limit} events`);
          time = event.time;
          current = owner;
          mix(time - start);
          if (owner) mixText(owner.name);
          run();
          return true;
        }
        return false;
      }),
    mix: mixText,
    digest: () => (digest >>> 0).toString(16).padStart(8, "0"),
    events: () => count,
  };
  return world;
}
