import { indexSpec } from "../../../model/collections.ts";
import { type Range, runsOf } from "../_rows/range.ts";
import { type Codec, type Dialect, nothing, type Piece, rangeClause, type SqlRow, united } from "./sql.ts";

/** A collection's table, as reads of it use it. */
export interface Source {
  readonly collection: string;
  readonly codec: Codec;
  readonly dialect: Dialect;
  /** The columns to select for `decode`: all, or the declared columns alone. */
  readonly selected: { readonly all: string; readonly columns: string };
  /** The table with the index to read it by: the planner, left alone, may sort a whole partition instead. */
  from(index: string): string;
  /** Runs a statement. An engine in this process returns row by row, as far as is read. */
  read(statement: Piece): Iterable<SqlRow> | Promise<readonly SqlRow[]>;
  readonly engine: ReadingEngine;
}

/** The habits of an engine. */
export interface ReadingEngine {
  /** A window that takes longer is followed by a smaller one, and one that takes less time by a larger one. */
  readonly windowMs: { readonly most: number; readonly least: number };
  /** Index entries of the first window, where rows are read and where they are counted in SQL. */
  readonly windows: { readonly rows: number; readonly counts: number };
  /** True if it merges ordered runs and reads only as much of each as it needs; others read each up to the limit. */
  readonly merges: boolean;
  /**
   * Of an engine that returns all rows of a statement at once: the statement for the rows of the places that `places` selects, in
   * order, up to the one that reaches `weight`, in bytes of its data.
   */
  readonly weighed?: (places: Piece, collection: string, sort: string, order: "asc" | "desc", weight: number) => Piece;
  /** Waits between windows. */
  rest(took: number): Promise<void> | undefined;
}

export interface Window {
  readonly range: Range;
  readonly through?: "lower" | "upper";
}

interface Selection {
  readonly what: string;
  readonly where?: Piece;
  /** See `united`. */
  readonly each?: Piece;
  readonly all?: Piece;
}

export type Rows = Iterable<SqlRow> | Promise<readonly SqlRow[]>;

/** The rows of all runs of an index. */
export function select(source: Source, index: string, window: Window, selection: Selection): Rows {
  const statement = statementOf(source, index, window, selection);
  return statement ? source.read(statement) : [];
}

/** Whole rows in order, up to the one that reaches `weight` where the engine can cut there. */
export function heavy(
  source: Source,
  index: string,
  window: Window,
  order: "asc" | "desc",
  weight: number,
  read: Pick<Selection, "where" | "all">,
): Rows {
  const { collection, dialect, engine, selected } = source;
  if (!engine.weighed) return select(source, index, window, { ...read, what: selected.all });
  const { sort } = indexSpec(collection, index);
  const what = `${dialect.column(sort)}, id, octet_length(data) AS bytes`;
  const places = statementOf(source, index, window, { ...read, what });
  return places ? source.read(engine.weighed(places, collection, sort, order, weight)) : [];
}

/** One SELECT over all runs of an index; null if no row can match. */
function statementOf(
  { collection, dialect, engine, from }: Source,
  index: string,
  window: Window,
  { what, where = nothing, each, all = nothing }: Selection,
): Piece | null {
  const selects = runsOf(collection, index, window.range).flatMap((run): Piece[] => {
    const clause = rangeClause(collection, run.index, run.range, window.through, dialect);
    if (!clause) return [];
    const sql = `SELECT ${what} FROM ${from(run.index)} WHERE ${[clause.sql, where.sql].filter(Boolean).join(" AND ")}`;
    return [{ sql, params: [...clause.params, ...where.params] }];
  });
  if (selects.length === 0) return null;
  // Runs that end by themselves are read one by one.
  return united(selects, each ?? (engine.merges ? nothing : all), all);
}
