import { inSlices } from "../../lib/turn.ts";

/** A name or value, and how often it came. */
export interface Counted {
  readonly key: string;
  readonly count: number;
}

const isBefore = (a: Counted, b: Counted): boolean => a.count > b.count || (a.count === b.count && a.key < b.key);

/**
 * The largest, at most `most`, ties by key. Visitors can make up a million keys, and to sort them at once would hold up
 * everybody, so this takes its turns.
 */
export async function largestOf<T extends Counted>(all: Iterable<T>, most: number): Promise<T[]> {
  const pause = inSlices();
  const best: T[] = [];
  for (const one of all) {
    const last = best.at(-1);
    if (best.length < most || (last && isBefore(one, last))) {
      let at = best.length;
      while (at > 0 && isBefore(one, best[at - 1] as T)) at--;
      best.splice(at, 0, one);
      if (best.length > most) best.pop();
    }
    const waited = pause();
    if (waited) await waited;
  }
  return best;
}
