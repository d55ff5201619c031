import { checkRow } from "../_rows/columns.ts";
import type { SqlValue, Table } from "../_sql/sql.ts";
import type { Write } from "../types.ts";

/** One write as SQL. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** The row whose expectation failed if nothing changes; null if that is fine. */
  readonly stale: { readonly collection: string; readonly id: string } | null;
}

/** Turns writes into statements. Throws a `TypeError` for values that some driver could not store. */
export function compiler(
  counters: string,
  table: (collection: string) => Table,
): (writes: readonly Write[]) => Statement[] {
  const add = `INSERT INTO ${counters} (id, n, at) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET n = n + excluded.n, at = max(at, excluded.at)`;
  return (writes) =>
    writes.map((write) => {
      checkRow(write);
      if (write.op === "add") return { sql: add, params: [write.id, write.by, write.at], stale: null };
      const { collection, id, expect } = write;
      const stale = expect === undefined ? null : { collection, id };
      const { name, insert, upsert, update, encode } = table(collection);
      if (write.op === "remove") {
        const anyVersion = `DELETE FROM ${name} WHERE id = ?`;
        if (expect === undefined || expect === null) return { sql: anyVersion, params: [id], stale };
        return { sql: `${anyVersion} AND version = ?`, params: [id, expect], stale };
      }
      if (typeof expect === "number") return { sql: update, params: [...encode(write.value), id, expect], stale };
      return { sql: expect === null ? insert : upsert, params: [id, ...encode(write.value)], stale };
    });
}
