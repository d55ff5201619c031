import { type CollectionSpec, type ColumnType, collectionSpec, collections } from "./schema.ts";
import type { Value, Write } from "./types.ts";

export type ColumnValue = string | number | boolean | null;

const typeOf = { text: "string", time: "string", integer: "number", boolean: "boolean" } as const;

/**
 * Whether a text comes back unchanged from every store: SQLite bindings cut at NUL, PostgreSQL refuses it, and a lone surrogate
 * has no UTF-8. Only ids and columns are bound as text; everything else is JSON, which escapes both.
 */
export function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/** Throws a `TypeError` for a text that a store would alter. */
export function assertStorable(text: string, what: string): void {
  if (!isStorable(text)) throw new TypeError(`[form-backend] ${what} contains NUL or half a surrogate pair`);
}

/** Columns whose values indexes are merged of: a row with any other would be in none of the runs. */
const closed = new Map(
  Object.entries<CollectionSpec>(collections).map(([name, { indexes }]) => [
    name,
    new Map(
      Object.values(indexes).flatMap(({ merges }) =>
        merges ? [[String(indexes[merges.index]?.equals.at(-1)), merges.values] as const] : [],
      ),
    ),
  ]),
);

/** A declared column of a value, absent being null. Throws a `TypeError` when it is none that the column may hold. */
export function columnValue(collection: string, column: string, type: ColumnType, value: Value): ColumnValue {
  const found = (value[column] ?? null) as ColumnValue;
  if (found !== null && typeof found !== typeOf[type]) {
    throw new TypeError(`[form-backend] ${collection}.${column} must be ${type} or null, got ${typeof found}`);
  }
  const values = closed.get(collection)?.get(column);
  if (values && !(values as readonly ColumnValue[]).includes(found)) {
    throw new TypeError(`[form-backend] ${collection}.${column} must be one of ${values.join(", ")}, got ${found}`);
  }
  if (typeof found === "string") assertStorable(found, `${collection}.${column}`);
  return found;
}

/** Refuses a write that some driver could not keep, so that every driver refuses the same ones. Throws a `TypeError`. */
export function checkWrite(write: Write): void {
  checkRow(write);
  if (write.op !== "put") return;
  const { columns } = collectionSpec(write.collection);
  for (const [column, type] of Object.entries(columns)) columnValue(write.collection, column, type, write.value);
}

/** The part of `checkWrite` for drivers that read the columns with `columnValue` anyway. Throws a `TypeError`. */
export function checkRow(write: Write): void {
  if (write.id === "") throw new TypeError("[form-backend] a row needs an id");
  assertStorable(write.id, "a row id");
  if (write.op === "add") {
    if (!Number.isSafeInteger(write.by))
      throw new TypeError(`[form-backend] a counter grows by integers, got ${write.by}`);
    assertStorable(write.at, "a counter's time");
  } else if (write.op === "put" && write.collection === "counters") {
    throw new TypeError('[form-backend] counters are written by "add" only');
  }
}
