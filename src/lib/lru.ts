/** The most recently used entries by key, at most `max` of them. */
export interface Lru<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  /** Removes an entry and answers what it was. */
  take(key: string): V | undefined;
}

export function createLru<V>(max: number): Lru<V> {
  // A Map keeps the order of insertion, so the first key is the one unused for longest.
  const entries = new Map<string, V>();
  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size > max) entries.delete(entries.keys().next().value as string);
    },
    take(key) {
      const value = entries.get(key);
      entries.delete(key);
      return value;
    },
  };
}
