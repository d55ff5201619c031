import { indexSpec } from "../../../model/collections.ts";
import { assertStorable } from "../_rows/columns.ts";
import { type Range, rangeOf, runsOf } from "../_rows/range.ts";
import type { Ask, Connections } from "../_sql/pool.ts";
import { columnClause, nothing, type Piece, rangeClause, united } from "../_sql/sql.ts";
import type { CountQuery, InTurn, PageQuery } from "../types.ts";
import { fieldClause } from "./fields.ts";
import { dialect, inIndex, numbered, type PgTable } from "./table.ts";

/** An open store, as reads of one of its tables use it. */
export interface Source {
  readonly connections: Connections;
  readonly table: PgTable;
  /** See `fieldClause`. */
  readonly folded: string;
}

/** For reads that take no turns. */
export const atOnce: InTurn = (statement) => statement();

/** A part of a range; `through` = that bound belongs to it. */
export interface Window {
  readonly range: Range;
  readonly through?: "lower" | "upper";
}

interface Selection {
  readonly what: Piece;
  readonly where?: Piece;
  /** Changes the SELECT of each run. */
  readonly wrap?: (run: Piece) => Piece;
  /** See `united`. */
  readonly each?: Piece;
  readonly all?: Piece;
}

/** One SELECT over all runs of an index; null if no row can match. */
export function select(
  { collection, name }: PgTable,
  index: string,
  window: Window,
  { what, where = nothing, wrap = (run) => run, each = nothing, all = nothing }: Selection,
): Piece | null {
  const selects = runsOf(collection, index, window.range).flatMap((run): Piece[] => {
    const clause = rangeClause(collection, run.index, run.range, window.through, dialect);
    if (!clause) return [];
    const kept = inIndex(collection, run.index, indexSpec(collection, run.index).sort);
    const sql = `SELECT ${what.sql} FROM ${name} WHERE ${[clause.sql, kept, where.sql].filter(Boolean).join(" AND ")}`;
    return [wrap({ sql, params: [...what.params, ...clause.params, ...where.params] })];
  });
  if (selects.length === 0) return null;
  const { sql, params } = united(selects, each, all);
  return { sql: numbered(sql), params };
}

/** The conditions that an index does not cover; null if no row can match. */
export function conditions({ table, folded }: Source, { rest }: Range): Piece | null {
  const columns = columnClause(table.collection, rest, dialect);
  if (!columns) return null;
  const fields = fieldClause(rest, folded);
  return {
    sql: [columns.sql, fields.sql].filter(Boolean).join(" AND "),
    params: [...columns.params, ...fields.params],
  };
}

export function checkedRange(collection: string, query: PageQuery | CountQuery): Range {
  const range = rangeOf(collection, query);
  for (const place of [range.lower, range.upper]) {
    if (place) assertStorable(`${place.sort}${place.id}`, "a position");
  }
  return range;
}

/**
 * Begins a read in windows: gives each of the transaction's next statements so much time, and has them walk the index. In a small
 * table the planner would rather read and sort all that remains, in each window again.
 */
export async function beginWindows(ask: Ask, ms: number): Promise<void> {
  const timeout = "set_config('statement_timeout', $1, true)";
  const walks = "set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)";
  await ask(`SELECT ${timeout}, ${walks}`, [String(Math.max(10, Math.ceil(ms)))]);
}
