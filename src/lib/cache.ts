import type { Clock } from "./clock.ts";

const FRESH_MS = 2_000;
/** The age at which a row in use is read again, while requests still get the old one. */
const AHEAD_MS = 1_000;
const MAX_ENTRIES = 10_000;

/** Rows kept for a moment, so that a busy form costs one read a second and not one a request. */
export interface Cache<T> {
  get(id: string, load: () => Promise<T | null>): Promise<T | null>;
  /** The row if it is here, and `get` has nothing to do for it; null says nothing. A request then waits for no promise. */
  known(id: string): T | null;
  /** True if `get` would wait for no load. */
  has(id: string): boolean;
  /** Drops a row. Call it after a change by this process is durable. */
  drop(id: string): void;
}

interface Entry<T> {
  readonly value: Promise<T | null>;
  readonly until: number;
  /** The value once it has come. */
  known: T | null;
  /** True once it is being read again. */
  ahead: boolean;
}

/**
 * Simultaneous misses share one load. Absent rows are not kept. When the cache is full, the oldest entry is removed.
 * A row in steady use is read ahead, so that no request waits for it behind the reads of a busy store.
 */
export function createCache<T>(clock: Clock): Cache<T> {
  const entries = new Map<string, Entry<T>>();
  const fresh = (id: string, now: number): Entry<T> | null => {
    const entry = entries.get(id);
    return entry && now < entry.until && entry.until - now <= FRESH_MS ? entry : null;
  };
  const isDue = ({ ahead, until }: Entry<T>, now: number): boolean => !ahead && until - now <= FRESH_MS - AHEAD_MS;
  return {
    known(id) {
      const now = clock.now();
      const entry = fresh(id, now);
      return entry && !isDue(entry, now) ? entry.known : null;
    },
    has: (id) => fresh(id, clock.now()) !== null,
    get(id, load) {
      const now = clock.now();
      const entry = fresh(id, now);
      if (entry) {
        if (isDue(entry, now)) readAhead(id, entry, load);
        return entry.value;
      }
      const value = load();
      const kept = keep(id, value, now);
      const forget = () => {
        if (entries.get(id) === kept) entries.delete(id);
      };
      value.then((found) => {
        if (found === null) forget();
        kept.known = found;
      }, forget);
      return value;
    },
    drop: (id) => void entries.delete(id),
  };

  function keep(id: string, value: Promise<T | null>, readAt: number): Entry<T> {
    const fresh: Entry<T> = { value, until: readAt + FRESH_MS, known: null, ahead: false };
    entries.delete(id);
    entries.set(id, fresh);
    if (entries.size > MAX_ENTRIES) entries.delete(entries.keys().next().value as string);
    return fresh;
  }

  /** Replaces `old` by what is read, unless it was dropped meanwhile: the read may be older than that change. */
  async function readAhead(id: string, old: Entry<T>, load: () => Promise<T | null>): Promise<void> {
    old.ahead = true;
    const readAt = clock.now();
    try {
      const found = await load();
      if (entries.get(id) !== old) return;
      if (found === null) entries.delete(id);
      else keep(id, Promise.resolve(found), readAt).known = found;
    } catch {
      // Requests get the old row until its time is over; the next one then reads, and meets the fault itself.
    }
  }
}
