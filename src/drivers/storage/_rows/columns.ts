import { type CollectionSpec, type ColumnType, collections } from "../../../model/collections.ts";
import type { Value, Write } from "../types.ts";

export type ColumnValue = string | number | boolean | null;

const typeOf = { text: "string", time: "string", integer: "number", boolean: "boolean" } as const;

/**
 * True if a text comes back unchanged from every store: SQLite bindings cut at NUL, PostgreSQL refuses it, and a lone surrogate
 * has no UTF-8. Only ids and columns are bound as text; everything else is JSON, which escapes both.
 */
export function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/** Throws a `TypeError` for a text that a store would alter. */
export function assertStorable(text: string, what: string): void {
  if (!isStorable(text)) throw unstorable(what);
}

const unstorable = (what: string): TypeError =>
  new TypeError(`[form-backend] ${what} contains NUL or half a surrogate pair`);

/** A declared column of a collection. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** The column of a value; an absent one is null. Throws a `TypeError` if the column can't store it. */
  readonly read: (value: Value) => ColumnValue;
}

const declared = new Map(
  Object.entries<CollectionSpec>(collections).map(([name, spec]) => [
    name,
    Object.entries(spec.columns).map(([column, type]) => columnOf(name, spec, column, type)),
  ]),
);

/** The declared columns of a collection in order. */
export const columnsOf = (collection: string): readonly Column[] => declared.get(collection) ?? [];

/** Makes a copy of a value without the declared columns of its collection: the part that stores keep as JSON. */
export function restOf(collection: string): (value: Value) => Value {
  const names = new Set(columnsOf(collection).map(({ name }) => name));
  return (value) => {
    const rest: Value = {};
    // Half the time of a spread with the columns set to undefined, and shorter to write as JSON.
    for (const name in value) {
      if (names.has(name)) continue;
      if (name === "__proto__") Object.defineProperty(rest, name, { value: value[name], enumerable: true });
      else rest[name] = value[name];
    }
    return rest;
  };
}

/** Every write reads all columns of its row, so the facts about each are computed once. */
function columnOf(collection: string, { indexes }: CollectionSpec, name: string, type: ColumnType): Column {
  const what = `${collection}.${name}`;
  const expected = typeOf[type];
  // A row with any other value would be in none of the runs that an index is merged of.
  const merged = Object.values(indexes).find(
    ({ merges }) => merges && indexes[merges.index]?.equals.at(-1) === name,
  )?.merges;
  const values = merged?.values as readonly ColumnValue[] | undefined;
  return {
    name,
    type,
    read(value) {
      const found = (value[name] ?? null) as ColumnValue;
      if (found !== null) {
        if (typeof found !== expected) {
          throw new TypeError(`[form-backend] ${what} must be ${type} or null, got ${typeof found}`);
        }
        if (typeof found === "string" && !isStorable(found)) throw unstorable(what);
      }
      if (values && !values.includes(found)) {
        throw new TypeError(`[form-backend] ${what} must be one of ${values.join(", ")}, got ${found}`);
      }
      return found;
    },
  };
}

/** Refuses a write that some driver could not keep, so that every driver refuses the same ones. Throws a `TypeError`. */
export function checkWrite(write: Write): void {
  checkRow(write);
  if (write.op !== "put") return;
  for (const { read } of columnsOf(write.collection)) read(write.value);
}

/** The part of `checkWrite` for drivers that read the columns anyway. Throws a `TypeError`. */
export function checkRow(write: Write): void {
  if (write.id === "") throw new TypeError("[form-backend] a row needs an id");
  assertStorable(write.id, "a row id");
  if (write.op === "add") {
    if (!Number.isSafeInteger(write.by))
      throw new TypeError(`[form-backend] a counter can only grow by integers, got ${write.by}`);
    assertStorable(write.at, "a counter's time");
  } else if (write.op === "put" && write.collection === "counters") {
    throw new TypeError('[form-backend] counters are written by "add" only');
  }
}
