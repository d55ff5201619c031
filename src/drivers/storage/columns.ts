import { type ColumnType, collectionSpec } from "./schema.ts";
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

/** A declared column of a value, absent being null. Throws a `TypeError` when it is not of the column's type. */
export function columnValue(collection: string, column: string, type: ColumnType, value: Value): ColumnValue {
  const found = value[column];
  if (found === null || found === undefined) return null;
  if (typeof found !== typeOf[type]) {
    throw new TypeError(`[form-backend] ${collection}.${column} must be ${type} or null, got ${typeof found}`);
  }
  if (typeof found === "string") assertStorable(found, `${collection}.${column}`);
  return found as ColumnValue;
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
