import type { StorageDriver, Stored, Write } from "../drivers/storage/types.ts";
import { type Cache, createCache } from "../lib/cache.ts";
import type { Clock } from "../lib/clock.ts";
import type { Records } from "../model/records.ts";

/** Rows that intake and authentication read on every request; keys by their hash, the others by id. */
export type RowCaches = { readonly [C in "forms" | "teams" | "keys"]: Cache<Stored<Records[C]>> };

/** The number of changed or removed rows of a collection, by this process. */
export type Changes = Map<string, number>;

export const createCaches = (clock: Clock): RowCaches => ({
  forms: createCache(clock),
  teams: createCache(clock),
  keys: createCache(clock),
});

/** Wraps the store. Its commits drop each written row from `caches`, and count changed rows in `changes`; new rows don't count. */
export function droppingOnWrite(storage: StorageDriver, caches: RowCaches, changes: Changes): StorageDriver {
  return {
    ...storage,
    async commit(writes) {
      try {
        await storage.commit(writes);
      } finally {
        // After a failure as well: a connection that broke leaves open whether the commit happened.
        for (const write of writes) drop(write);
      }
    },
  };

  function drop(write: Write): void {
    if (write.op === "add") return;
    const isNew = write.op === "put" && write.expect === null;
    if (!isNew) changes.set(write.collection, (changes.get(write.collection) ?? 0) + 1);
    if (write.collection === "forms" || write.collection === "teams") caches[write.collection].drop(write.id);
    if (write.collection === "keys" && write.op === "put") caches.keys.drop(String(write.value["hash"]));
  }
}
