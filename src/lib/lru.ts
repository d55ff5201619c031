/** The most recently used entries by key, at most `max` of them. */
export interface Lru<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  /** Removes an entry and answers what it was. */
  take(key: string): V | undefined;
}

/** `onDrop` hears of every entry that has to make room. */
export function createLru<V>(max: number, onDrop: (key: string) => void = () => {}): Lru<V> {
  // A Map keeps the order of insertion, so the first key is the one unused for longest.
  const entries = new Map<string, V>();
  // Kept between calls: a new iterator would step over all that was removed at the front since the Map was last laid out, which
  // costs a full cache most of its time. What this one has passed is gone, since it is asked only to remove.
  let oldestFirst = entries.keys();
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
      if (entries.size <= max) return;
      let next = oldestFirst.next();
      if (next.done) {
        oldestFirst = entries.keys();
        next = oldestFirst.next();
      }
      const oldest = next.value as string;
      entries.delete(oldest);
      onDrop(oldest);
    },
    take(key) {
      const value = entries.get(key);
      entries.delete(key);
      return value;
    },
  };
}
