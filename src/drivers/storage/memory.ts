import { copyRow, createRows } from "./_rows/rows.ts";
import { countRows, pageRows } from "./_rows/scan.ts";
import type { StorageDriver, Stored } from "./types.ts";

/**
 * Keeps everything in this process: for tests and demos, gone with the process.
 *
 * @example
 * createFormBackend({ baseUrl, secret, storage: memoryStorage() });
 */
export function memoryStorage(): StorageDriver {
  const rows = createRows();
  return {
    name: "memory",
    async open() {},
    async get(collection, ids) {
      const found = new Map<string, Stored>();
      for (const id of ids) {
        const row = rows.get(collection, id);
        if (row) found.set(id, copyRow(row));
      }
      return found;
    },
    page: (collection, query) => pageRows(rows, collection, query),
    count: (collection, query) => countRows(rows, collection, query),
    async commit(writes) {
      rows.apply(rows.plan(writes));
    },
    async claim(query) {
      const now = query.now ?? Date.now();
      const changes = rows.planClaim(query, now);
      rows.apply(changes);
      return { now, jobs: changes.map((change) => copyRow(change.row!)) };
    },
    async nextDueAt(lane) {
      const first = rows.list("jobs", "due", [lane])[0];
      return first ? Date.parse(String(first.value.due_at)) : null;
    },
    async close() {},
  };
}
