import { type ColumnType, collectionSpec, indexSpec } from "../../../model/collections.ts";
import { type ColumnValue, columnsOf, isStorable, restOf } from "../_rows/columns.ts";
import type { Range } from "../_rows/range.ts";
import type { Condition, Position, Stored, Value } from "../types.ts";

/** A row as the engine returns it. */
export type SqlRow = Record<string, unknown>;
export type SqlValue = string | number | boolean | null;

/** The differences of the engines in conditions. */
export interface Dialect {
  /** A column's name in a statement. */
  column(name: string): string;
  boolean(value: boolean): SqlValue;
  /** A column among values, where possible as one JSON parameter, so that the statement's text does not depend on how many there are. */
  oneOf(column: string, type: ColumnType, values: readonly SqlValue[]): Piece;
  /** The places of an index beyond a place, or at it; both columns quoted. */
  beyond(sort: string, operator: string, place: Position): Piece;
}

/** Compares places as rows, for engines that seek by them. */
export const rowsBeyond: Dialect["beyond"] = (sort, operator, { sort: at, id }) => ({
  sql: `(${sort}, id) ${operator} (?, ?)`,
  params: [at, id],
});

export const sqliteDialect: Dialect = {
  column: (name) => name,
  // better-sqlite3 refuses to bind booleans.
  boolean: Number,
  oneOf: (column, _, values) => ({
    sql: `${column} IN (SELECT value FROM json_each(?))`,
    params: [JSON.stringify(values)],
  }),
  beyond: rowsBeyond,
};

/** The rows of one collection's table, where it has its JSON as text. */
export interface Codec {
  /** Declared columns in order, then the rest of the value as JSON. Throws a `TypeError` for a value of the wrong type. */
  encode(value: Value): SqlValue[];
  decode(row: SqlRow): Stored;
}

/** The statements and codecs of one collection's table. */
export interface Table extends Codec {
  readonly name: string;
  /** Parameters of `insert` and `upsert`: `id`, then `encode(value)`; of `update`: `encode(value)`, `id`, `version`. */
  readonly insert: string;
  readonly upsert: string;
  readonly update: string;
  /** The parts that `decode` needs for the declared columns alone. */
  readonly columns: string;
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

export function codecOf(collection: string): Codec {
  const columns = columnsOf(collection);
  const rest = restOf(collection);
  return {
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

export function tableOf(prefix: string, collection: string): Table {
  const declared = columnsOf(collection).map((column) => column.name);
  const name = tableName(prefix, collection);
  const names = [...declared, "data"];
  const insert = `INSERT INTO ${name} (id, version, ${names.join(", ")}) VALUES (?, 1${", ?".repeat(names.length)})`;
  return {
    name,
    insert: `${insert} ON CONFLICT (id) DO NOTHING`,
    upsert: `${insert} ON CONFLICT (id) DO UPDATE SET version = version + 1, ${names.map((column) => `${column} = excluded.${column}`).join(", ")}`,
    update: `UPDATE ${name} SET version = version + 1, ${names.map((column) => `${column} = ?`).join(", ")} WHERE id = ? AND version = ?`,
    columns: ["id", "version", ...declared].join(", "),
    ...codecOf(collection),
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

/** A limit where there is none: not every engine takes -1. */
export const ALL_ROWS = Number.MAX_SAFE_INTEGER;

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
    const name = dialect.column(column);
    parts.push(pin === null ? `${name} IS NULL` : `${name} = ?`);
    if (pin !== null) params.push(param);
  }
  const sort = dialect.column(spec.sort);
  // Without this term a partial index does not count as usable; an index that is not partial has the rows without a value too.
  parts.push(`${sort} IS NOT NULL`);
  const bound = (operator: string, place: Position | undefined): void => {
    if (!place) return;
    const beyond = dialect.beyond(sort, operator, place);
    parts.push(beyond.sql);
    params.push(...beyond.params);
  };
  bound(through === "lower" ? ">=" : ">", range.lower);
  bound(through === "upper" ? "<=" : "<", range.upper);
  return { sql: parts.join(" AND "), params };
}

/** The `column` conditions of a list; `field` conditions are for `lib/conditions.ts`. */
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
    const name = dialect.column(column);
    if (condition.op === "in") {
      const values = condition.value.flatMap((value) =>
        value === null ? [] : (comparable(type, value, dialect) ?? []),
      );
      const list = dialect.oneOf(name, type, values);
      parts.push(condition.value.includes(null) ? `(${name} IS NULL OR ${list.sql})` : list.sql);
      params.push(...list.params);
    } else {
      const param = comparable(type, condition.value, dialect);
      if (param === undefined) return null;
      parts.push(`${name} ${condition.op === "gte" ? ">=" : "<"} ?`);
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
  dialect: Dialect = sqliteDialect,
): { sql: string; key: (found: unknown) => string | null } {
  const type = collectionSpec(collection).columns[column];
  if (!type) throw new Error(`[form-backend] ${collection} has no column "${column}"`);
  const name = dialect.column(column);
  if (prefix !== undefined) {
    return { sql: `substr(${name}, 1, ${Math.trunc(prefix)})`, key: (found) => found as string | null };
  }
  return {
    sql: name,
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
