import type { Clock } from "./clock.ts";

const FRESH_MS = 2_000;
const MAX_ENTRIES = 10_000;

/** Rows kept for a moment, so that a busy form costs one read in two seconds and not one a request. */
export interface Cache<T> {
  get(id: string, load: () => Promise<T | null>): Promise<T | null>;
  /** Drops a row. Call it after a change by this process is durable. */
  drop(id: string): void;
}

/** Simultaneous misses share one load. Absent rows are not kept. When the cache is full, the oldest entry is removed. */
export function createCache<T>(clock: Clock): Cache<T> {
  const entries = new Map<string, { value: Promise<T | null>; until: number }>();
  return {
    get(id, load) {
      const now = clock.now();
      const entry = entries.get(id);
      if (entry && now < entry.until && entry.until - now <= FRESH_MS) return entry.value;
      const value = load();
      const fresh = { value, until: now + FRESH_MS };
      entries.delete(id);
      entries.set(id, fresh);
      if (entries.size > MAX_ENTRIES) entries.delete(entries.keys().next().value as string);
      const forget = () => {
        if (entries.get(id) === fresh) entries.delete(id);
      };
      value.then((found) => found === null && forget(), forget);
      return value;
    },
    drop: (id) => void entries.delete(id),
  };
}
