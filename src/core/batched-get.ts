import type { StorageDriver, Stored } from "../drivers/storage/types.ts";
import type { CollectionName } from "../model/collections.ts";

/** Reads one row, or null. Rows requested in the same turn of the event loop are read together; nothing is cached. */
export function createBatchedGet(
  storage: StorageDriver,
): (collection: CollectionName, id: string) => Promise<Stored | null> {
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

  return async (collection, id) => {
    const batch = waiting.get(collection) ?? gather(collection);
    batch.ids.add(id);
    return (await batch.rows).get(id) ?? null;
  };
}
