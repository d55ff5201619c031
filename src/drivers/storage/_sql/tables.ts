import type { FrozenTable } from "./frozen.ts";
import { tables1 } from "./tables-1.ts";
import { tables2 } from "./tables-2.ts";
import { tables3 } from "./tables-3.ts";

/**
 * The tables after each migration, by its number. Never change a released list: databases contain exactly its tables.
 *
 * To add a column: declare it in `schema.ts`; list here, under the number of the new migration, the whole new table; and add
 * the column and its indexes in the migration of each SQL store. Name the new PostgreSQL functions by that number
 * (`writeFunction`), because processes of the older version still call theirs. A test compares the lists with `schema.ts` and
 * fails for a column without a migration.
 */
export const tables: Readonly<Record<number, readonly FrozenTable[]>> = {
  1: tables1,
  2: tables2,
  3: tables3,
};

/** Each table as the last migration that lists it left it, with that migration's number. */
export const currentTables: ReadonlyMap<string, FrozenTable & { readonly migration: number }> = new Map(
  Object.entries(tables).flatMap(([migration, listed]) =>
    listed.map((table) => [table.collection, { ...table, migration: Number(migration) }]),
  ),
);
