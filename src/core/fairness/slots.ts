/** Counts the places that are in use under each key. Nobody waits for a place. */
export interface Slots {
  /** Takes a place of a key that has `most`. Returns a function that gives it back, which may be called twice; null if all are in use. */
  take(key: string, most: number): (() => void) | null;
}

export function createSlots(): Slots {
  const taken = new Map<string, number>();
  return {
    take(key, most) {
      const before = taken.get(key) ?? 0;
      if (before >= most) return null;
      taken.set(key, before + 1);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        const left = (taken.get(key) ?? 1) - 1;
        if (left > 0) taken.set(key, left);
        else taken.delete(key);
      };
    },
  };
}
