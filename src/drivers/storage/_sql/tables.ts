import type { FrozenTable } from "./frozen.ts";
import { addedIndexes } from "./indexes.ts";
import { tables1 } from "./tables-1.ts";
import { tables2 } from "./tables-2.ts";
import { tables3 } from "./tables-3.ts";
import { tables8 } from "./tables-8.ts";

/**
 * The tables after each migration, by its number. Never change a released list: databases contain exactly its tables.
 *
 * To add a column: declare it in `schema.ts`; list here, under the number of the new migration, the whole new table; and add
 * the column and its indexes in the migration of each SQL store. Name the new PostgreSQL functions by that number
 * (`writeFunction`), because processes of the older version still call theirs. A test compares the lists with `schema.ts` and
 * fails for a column without a migration. To add only an index, list it in `indexes.ts`.
 */
export const tables: Readonly<Record<number, readonly FrozenTable[]>> = {
  1: tables1,
  2: tables2,
  3: tables3,
  8: tables8,
};

const added = Object.values(addedIndexes).flat();

/** Each table as the last migrations left it, with the number of the one that last listed it whole. */
export const currentTables: ReadonlyMap<string, FrozenTable & { readonly migration: number }> = new Map(
  Object.entries(tables).flatMap(([migration, listed]) =>
    listed.map((table) => {
      const indexes = [...table.indexes, ...added.filter(({ collection }) => collection === table.collection)];
      return [table.collection, { ...table, indexes, migration: Number(migration) }];
    }),
  ),
);
