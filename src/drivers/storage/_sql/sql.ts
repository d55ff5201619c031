import { type ColumnType, collectionSpec, indexSpec } from "../../../model/collections.ts";
import { type ColumnValue, columnsOf, isStorable, restOf } from "../_rows/columns.ts";
import type { Range } from "../_rows/range.ts";
import type { Condition, Position, Stored, Value } from "../types.ts";

/** A row as the engine returns it. */
export type SqlRow = Record<string, unknown>;
export type SqlValue = string | number | boolean | null;

/** The differences of the engines in conditions. */
export interface Dialect {
  boolean(value: boolean): SqlValue;
  /** A column among the values of one JSON parameter, so that the statement's text does not depend on how many there are. */
  oneOf(column: string, type: ColumnType): string;
}

export const sqliteDialect: Dialect = {
  // better-sqlite3 refuses to bind booleans.
  boolean: Number,
  oneOf: (column) => `${column} IN (SELECT value FROM json_each(?))`,
};

/** The statements and codecs of one collection's table. */
export interface Table {
  readonly name: string;
  /** Parameters of `insert` and `upsert`: `id`, then `encode(value)`; of `update`: `encode(value)`, `id`, `version`. */
  readonly insert: string;
  readonly upsert: string;
  readonly update: string;
  /** The parts that `decode` needs for the declared columns alone. */
  readonly columns: string;
  /** Declared columns in order, then the rest of the value as JSON. Throws a `TypeError` for a value of the wrong type. */
  encode(value: Value): SqlValue[];
  decode(row: SqlRow): Stored;
}

/** A piece of SQL with its parameters. */
export interface Piece {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** A piece of a WHERE clause; null = it matches no row. */
export type Clause = Piece | null;

export const quote = (name: string): string => `"${name}"`;
export const tableName = (prefix: string, collection: string): string => quote(prefix + collection);
export const indexName = (prefix: string, collection: string, index: string): string =>
  quote(`${prefix}${collection}_${index}`);

export function tableOf(prefix: string, collection: string): Table {
  const columns = columnsOf(collection);
  const declared = columns.map((column) => column.name);
  const name = tableName(prefix, collection);
  const names = [...declared, "data"];
  const rest = restOf(collection);
  const insert = `INSERT INTO ${name} (id, version, ${names.join(", ")}) VALUES (?, 1${", ?".repeat(names.length)})`;
  return {
    name,
    insert: `${insert} ON CONFLICT (id) DO NOTHING`,
    upsert: `${insert} ON CONFLICT (id) DO UPDATE SET version = version + 1, ${names.map((column) => `${column} = excluded.${column}`).join(", ")}`,
    update: `UPDATE ${name} SET version = version + 1, ${names.map((column) => `${column} = ?`).join(", ")} WHERE id = ? AND version = ?`,
    columns: ["id", "version", ...declared].join(", "),
    encode(value) {
      const params = columns.map(({ read }) => bindable(read(value)));
      params.push(JSON.stringify(rest(value)));
      return params;
    },
    decode(row) {
      const value = (row.data === undefined ? {} : JSON.parse(row.data as string)) as Value;
      for (const { name: column, type } of columns) value[column] = readColumn(type, row[column]);
      return { id: row.id as string, value, version: Number(row.version) };
    },
  };
}

/** A counter's row. It has no version, so a write can't expect one. */
export const readCounter = (row: SqlRow): Stored => ({
  id: row.id as string,
  value: { n: Number(row.n), at: row.at },
  version: 1,
});

/** One SELECT of several: `each` goes at the end of each of them, `all` at the end of the whole. A single one has only one end. */
export function united(selects: readonly Piece[], each: Piece, all: Piece): Piece {
  const [first] = selects;
  const end = each.sql ? each : all;
  if (first && selects.length === 1) {
    return { sql: `${first.sql} ${end.sql}`, params: [...first.params, ...end.params] };
  }
  const ended = selects.map(({ sql }) => (each.sql ? `SELECT * FROM (${sql} ${each.sql}) AS run` : sql));
  return {
    sql: `${ended.join(" UNION ALL ")} ${all.sql}`,
    params: [...selects.flatMap(({ params }) => [...params, ...each.params]), ...all.params],
  };
}

export const nothing: Piece = { sql: "", params: [] };

/** The order of an index with a limit of rows, and of rows passed over where `skipped`. */
export function ordered(sort: string, order: "asc" | "desc", limit: number, skipped?: number): Piece {
  const sql = `ORDER BY ${sort} ${order}, id ${order} LIMIT ?`;
  return skipped === undefined ? { sql, params: [limit] } : { sql: `${sql} OFFSET ?`, params: [limit, skipped] };
}

/** The pins and bounds of a range; `through` = the upper (ascending) or lower (descending) bound belongs to it. */
export function rangeClause(
  collection: string,
  index: string,
  range: Range,
  through?: "lower" | "upper",
  dialect: Dialect = sqliteDialect,
): Clause {
  const spec = indexSpec(collection, index);
  const { columns } = collectionSpec(collection);
  const parts: string[] = [];
  const params: SqlValue[] = [];
  for (const [i, column] of spec.equals.entries()) {
    const pin = range.pins[i]!;
    const param = comparable(columns[column]!, pin, dialect);
    if (param === undefined) return null;
    parts.push(pin === null ? `${column} IS NULL` : `${column} = ?`);
    if (pin !== null) params.push(param);
  }
  // Without this term the partial index does not count as usable.
  parts.push(`${spec.sort} IS NOT NULL`);
  const bound = (operator: string, place: Position | undefined): void => {
    if (!place) return;
    parts.push(`(${spec.sort}, id) ${operator} (?, ?)`);
    params.push(place.sort, place.id);
  };
  bound(through === "lower" ? ">=" : ">", range.lower);
  bound(through === "upper" ? "<=" : "<", range.upper);
  return { sql: parts.join(" AND "), params };
}

/** The `column` conditions of a list; `field` conditions are for `predicate.ts`. */
export function columnClause(
  collection: string,
  where: readonly Condition[],
  dialect: Dialect = sqliteDialect,
): Clause {
  const { columns } = collectionSpec(collection);
  const parts: string[] = [];
  const params: SqlValue[] = [];
  for (const condition of where) {
    if (!("column" in condition)) continue;
    const { column } = condition;
    const type = columns[column];
    if (!type) throw new Error(`[form-backend] ${collection} has no column "${column}"`);
    if (condition.op === "in") {
      const values = condition.value.filter((value) => value !== null).map((value) => comparable(type, value, dialect));
      const list = dialect.oneOf(column, type);
      parts.push(condition.value.includes(null) ? `(${column} IS NULL OR ${list})` : list);
      params.push(JSON.stringify(values.filter((value) => value !== undefined)));
    } else {
      const param = comparable(type, condition.value, dialect);
      if (param === undefined) return null;
      parts.push(`${column} ${condition.op === "gte" ? ">=" : "<"} ?`);
      params.push(param);
    }
  }
  return { sql: parts.join(" AND "), params };
}

/** A column's value as JavaScript knows it. */
export function readColumn(type: ColumnType, found: unknown): ColumnValue {
  if (found === null || found === undefined) return null;
  if (type === "boolean") return Number(found) !== 0;
  return type === "integer" ? Number(found) : (found as string);
}

/** The expression of a grouped count, and the key of a returned group. */
export function groupColumn(
  collection: string,
  { column, prefix }: { column: string; prefix?: number },
): { sql: string; key: (found: unknown) => string | null } {
  const type = collectionSpec(collection).columns[column];
  if (!type) throw new Error(`[form-backend] ${collection} has no column "${column}"`);
  if (prefix !== undefined) {
    return { sql: `substr(${column}, 1, ${Math.trunc(prefix)})`, key: (found) => found as string | null };
  }
  return {
    sql: column,
    key(found) {
      const value = readColumn(type, found);
      return value === null ? null : String(value);
    },
  };
}

/** Undefined for a value that can equal none of the column: another type, or text that is never stored. */
function comparable(type: ColumnType, value: ColumnValue, dialect: Dialect): SqlValue | undefined {
  if (value === null) return null;
  if (type === "boolean") return typeof value === "boolean" ? dialect.boolean(value) : undefined;
  if (type === "integer") return typeof value === "number" ? value : undefined;
  return typeof value === "string" && isStorable(value) ? value : undefined;
}

const bindable = (value: ColumnValue): SqlValue => (typeof value === "boolean" ? Number(value) : value);
