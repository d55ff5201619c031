import type { ColumnType } from "../../../model/collections.ts";
import type { FrozenTable } from "./frozen.ts";
import { type AddedIndex, addedIndexes } from "./indexes.ts";
import { tables1 } from "./tables-1.ts";
import { tables2 } from "./tables-2.ts";
import { tables3 } from "./tables-3.ts";
import { tables7 } from "./tables-7.ts";
import { tables8 } from "./tables-8.ts";
import { tables21 } from "./tables-21.ts";
import { tables22 } from "./tables-22.ts";

/**
 * The tables after each migration, by its number. Never change a released list: databases contain exactly its tables.
 *
 * To add a column: declare it in `collections.ts`, and list here, under the number of the new migration, the whole new table.
 * The migration of each SQL store adds the column and its indexes (`changesOf`). Name the new PostgreSQL functions by that number
 * (`writeFunction`), because processes of the older version still call theirs. A test compares the lists with `schema.ts` and
 * fails for a column without a migration. To add only an index, list it in `indexes.ts`.
 */
export const tables: Readonly<Record<number, readonly FrozenTable[]>> = {
  1: tables1,
  2: tables2,
  3: tables3,
  7: tables7,
  8: tables8,
  // PostgreSQL adds to counters by a new function from here on; the table is as it was.
  20: tables1.filter(({ collection }) => collection === "counters"),
  21: tables21,
  22: tables22,
};

/** A column that a migration adds to a table that was there before. */
export interface AddedColumn {
  readonly collection: string;
  readonly name: string;
  readonly type: ColumnType;
}

/** What a migration makes of the tables before it. */
export interface TableChanges {
  /** Tables that were not there. */
  readonly created: readonly FrozenTable[];
  readonly columns: readonly AddedColumn[];
  readonly indexes: readonly AddedIndex[];
}

/** The difference between the tables that a migration lists and the same ones as an earlier migration listed them. */
export function changesOf(migration: number): TableChanges {
  const before = new Map(
    Object.entries(tables).flatMap(([id, listed]) =>
      Number(id) < migration ? listed.map((table) => [table.collection, table] as const) : [],
    ),
  );
  const listed = tables[migration] ?? [];
  const altered = listed.flatMap((after) => {
    const known = before.get(after.collection);
    return known ? [{ known, after }] : [];
  });
  return {
    created: listed.filter(({ collection }) => !before.has(collection)),
    columns: altered.flatMap(({ known, after: { collection, columns } }) =>
      Object.entries(columns).flatMap(([name, type]) =>
        Object.hasOwn(known.columns, name) ? [] : [{ collection, name, type }],
      ),
    ),
    indexes: altered.flatMap(({ known, after: { collection, indexes } }) =>
      indexes
        .filter(({ name }) => !known.indexes.some((index) => index.name === name))
        .map((index) => ({ collection, ...index })),
    ),
  };
}

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
