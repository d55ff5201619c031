import type { CollectionName } from "./drivers/storage/schema.ts";
import type { StorageDriver, Stored } from "./drivers/storage/types.ts";

/** Reads one row, or null. Rows that are asked for in the same turn of the event loop are read together. */
export type JoinedFind = <T>(collection: CollectionName, id: string) => Promise<Stored<T> | null>;

/** For work that is done by dozens at the same time and reads the same few rows: deliveries and mails. Nothing is kept. */
export function createJoinedFind(storage: StorageDriver): JoinedFind {
  const waiting = new Map<CollectionName, { readonly ids: Set<string>; readonly rows: Promise<Map<string, Stored>> }>();

  const gather = (collection: CollectionName) => {
    const ids = new Set<string>();
    const rows = new Promise((resolve) => setImmediate(resolve)).then(() => {
      waiting.delete(collection);
      return storage.get(collection, [...ids]);
    });
    const batch = { ids, rows };
    waiting.set(collection, batch);
    return batch;
  };

  return async <T>(collection: CollectionName, id: string) => {
    const batch = waiting.get(collection) ?? gather(collection);
    batch.ids.add(id);
    return ((await batch.rows).get(id) as Stored<T> | undefined) ?? null;
  };
}
