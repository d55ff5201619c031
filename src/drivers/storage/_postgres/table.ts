import type { ColumnType } from "../../../model/collections.ts";
import { columnsOf, restOf } from "../_rows/columns.ts";
import { type Dialect, quote, readColumn, rowsBeyond, type SqlRow } from "../_sql/sql.ts";
import type { Stored, Value } from "../types.ts";

export const sqlTypes: Record<ColumnType, string> = {
  // Ordered by code points, as in every other store, whatever the database's locale.
  text: 'text COLLATE "C"',
  time: 'text COLLATE "C"',
  integer: "bigint",
  boolean: "boolean",
};

export const dialect: Dialect = {
  column: (name) => name,
  boolean: (value) => value,
  oneOf(column, type, values) {
    const cast = { text: "", time: "", integer: "::bigint", boolean: "::boolean" }[type];
    return {
      sql: `${column} = ANY(ARRAY(SELECT json_array_elements_text(?::text::json)${cast}))`,
      params: [JSON.stringify(values)],
    };
  },
  beyond: rowsBeyond,
};

/** One collection's table: names always with their schema, for the search path is the host's. */
export interface PgTable {
  readonly collection: string;
  readonly name: string;
  /** The declared columns in order. */
  readonly columns: readonly string[];
  /** The columns to select for `decode`. */
  readonly selected: string;
  /** The row as an object for `json_to_recordset`; `version` only where one is expected. Throws a `TypeError` for a value of the wrong type. */
  encode(id: string, value: Value, version?: number): Value;
  decode(row: SqlRow): Stored;
}

export const qualified = (schema: string, name: string): string => `${quote(schema)}.${quote(name)}`;

/** The rows of an index. The work list has a condition of its own, so that a query selects one of two indexes. */
export const inIndex = (collection: string, index: string, sort: string): string =>
  collection === "jobs" && index === "due" ? `${sort} > ''` : `${sort} IS NOT NULL`;

/** The columns to select for `decode`, of a table with these columns. */
export const selectedOf = (columns: readonly string[]): string[] => ["id", "version", ...columns, "data::text AS data"];

export function pgTable(schema: string, collection: string): PgTable {
  const columns = columnsOf(collection);
  const declared = columns.map(({ name }) => name);
  const rest = restOf(collection);
  return {
    collection,
    name: qualified(schema, collection),
    columns: declared,
    selected: selectedOf(declared).join(", "),
    encode(id, value, version) {
      const row: Value = { id };
      if (version !== undefined) row.version = version;
      for (const { name, read } of columns) row[name] = read(value);
      row.data = rest(value);
      return row;
    },
    decode(row) {
      const value = (row.data === undefined ? {} : JSON.parse(restored(row.data as string))) as Value;
      for (const { name, type } of columns) value[name] = readColumn(type, row[name]);
      return { id: row.id as string, value, version: Number(row.version) };
    },
  };
}

/** The prefix of four hex digits that replace a character that PostgreSQL's JSON functions refuse. */
const MARK = "\ue000";
// Two plain searches, for texts without escapes are the rule and long.
const mayHaveRefused = (json: string): boolean => json.includes("\\u") || json.includes(MARK);
const REFUSED = /\\u(0000|d[89a-f][0-9a-f]{2})|\\.|\ue000/g;

/** JSON without the escapes for NUL and for half a surrogate pair, which the type takes and its functions refuse. */
export function safeJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!mayHaveRefused(text)) return text;
  return text.replace(REFUSED, (found, hex: string | undefined) =>
    hex ? MARK + hex : found === MARK ? `${MARK}e000` : found,
  );
}

/** Rows for `json_to_recordset`: it accepts all ids and columns, so they are not changed. */
export function rowsJson(rows: readonly Value[]): string {
  const text = JSON.stringify(rows);
  if (!mayHaveRefused(text)) return text;
  const members = rows.map((row) =>
    Object.entries(row).map(([name, value]) => {
      return `${JSON.stringify(name)}:${name === "data" ? safeJson(value) : JSON.stringify(value)}`;
    }),
  );
  return `[${members.map((row) => `{${row.join(",")}}`).join(",")}]`;
}

/** The original of `safeJson`'s result, as JSON or as a text from it. */
export function restored(json: string): string {
  return json.includes(MARK)
    ? json.replace(/\ue000(.{4})/g, (_, hex: string) => (hex === "e000" ? MARK : `\\u${hex}`))
    : json;
}

/** A text as it appears in the result of `safeJson`. */
export const safeText = (text: string): string => JSON.parse(safeJson(text)) as string;

/** A text out of the database as it was given. */
export const restoredText = (text: string): string =>
  text.includes(MARK)
    ? text.replace(/\ue000(.{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;

/** `$1`, `$2`, … for each `?` of a statement that we have put together; a jsonpath in quotes has its own. */
export function numbered(sql: string): string {
  let n = 0;
  return sql.replace(/'[^']*'|\?/g, (found) => (found === "?" ? `$${++n}` : found));
}
