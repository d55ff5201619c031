/** The most recently used entries by key, at most `max` of them. */
export interface Lru<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  /** Removes an entry and returns it. */
  take(key: string): V | undefined;
}

interface Entry<V> {
  readonly key: string;
  value: V;
  older: Entry<V> | null;
  newer: Entry<V> | null;
}

/**
 * Calls `onDrop` for every entry that is dropped to make room. The order is a separate list: a Map ordered by removing and
 * adding is laid out again every few calls, and an iterator kept over it keeps each former layout in memory.
 */
export function createLru<V>(max: number, onDrop: (key: string) => void = () => {}): Lru<V> {
  const entries = new Map<string, Entry<V>>();
  let oldest: Entry<V> | null = null;
  let newest: Entry<V> | null = null;

  function unlink(entry: Entry<V>): void {
    if (entry.older) entry.older.newer = entry.newer;
    else oldest = entry.newer;
    if (entry.newer) entry.newer.older = entry.older;
    else newest = entry.older;
    // An entry that is gone must not keep its neighbours in memory.
    entry.older = entry.newer = null;
  }

  function append(entry: Entry<V>): void {
    entry.older = newest;
    if (newest) newest.newer = entry;
    else oldest = entry;
    newest = entry;
  }

  function use(entry: Entry<V>): void {
    if (entry === newest) return;
    unlink(entry);
    append(entry);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry) use(entry);
      return entry?.value;
    },
    set(key, value) {
      const known = entries.get(key);
      if (known) {
        known.value = value;
        use(known);
        return;
      }
      const entry: Entry<V> = { key, value, older: null, newer: null };
      entries.set(key, entry);
      append(entry);
      if (entries.size <= max || !oldest) return;
      const { key: dropped } = oldest;
      entries.delete(dropped);
      unlink(oldest);
      onDrop(dropped);
    },
    take(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      unlink(entry);
      return entry.value;
    },
  };
}
