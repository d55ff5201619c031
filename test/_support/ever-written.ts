import type { StorageDriver, Stored } from "../../src/drivers/storage/types.ts";

/** A store that notes which rows were ever written, since no port lists them all, and that may die at a commit. */
export interface EverWritten {
  readonly storage: StorageDriver;
  /** Every row that was written and is still there, by its collection. */
  left(): Promise<{ collection: string; row: Stored }[]>;
  /** From now on, only so many commits succeed; any number with null. */
  dieAfter(commits: number | null): void;
}

export function everWritten(store: StorageDriver): EverWritten {
  const written = new Map<string, Set<string>>();
  let allowed: number | null = null;
  const storage: StorageDriver = {
    ...store,
    async commit(writes, ...more) {
      if (allowed !== null && allowed-- <= 0) throw new Error("the process was killed");
      for (const write of writes) {
        const collection = write.op === "add" ? "counters" : write.collection;
        const ids = written.get(collection) ?? new Set();
        written.set(collection, ids.add(write.id));
      }
      return store.commit(writes, ...more);
    },
  };
  return {
    storage,
    async left() {
      const rows: { collection: string; row: Stored }[] = [];
      for (const [collection, ids] of written) {
        for (const row of (await store.get(collection, [...ids])).values()) rows.push({ collection, row });
      }
      return rows;
    },
    dieAfter(commits) {
      allowed = commits;
    },
  };
}
