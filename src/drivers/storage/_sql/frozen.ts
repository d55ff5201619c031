import type { ColumnType } from "../../../model/collections.ts";

/** A collection's table as a migration leaves it. */
export interface FrozenTable {
  readonly collection: string;
  /** In the order of the table. */
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** Only rows whose `sort` is not null. */
  readonly indexes: readonly { readonly name: string; readonly keys: readonly string[]; readonly sort: string }[];
}
