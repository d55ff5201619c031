import { setImmediate } from "node:timers/promises";
import { inSlices, ownTurn } from "../../../lib/turn.ts";
import { indexSpec } from "../../../model/collections.ts";
import { grouped, groupKey, predicate } from "../_rows/predicate.ts";
import { type Range, rangeOf, runsOf } from "../_rows/range.ts";
import type { Count, CountQuery, PageQuery, Position, Stored } from "../types.ts";
import {
  ALL_ROWS,
  type Codec,
  columnClause,
  type Dialect,
  groupColumn,
  nothing,
  ordered,
  type Piece,
  rangeClause,
  type SqlRow,
  united,
} from "./sql.ts";

/** Amount of heavy rows read before other work of the process gets its turn, about a millisecond. */
const TURN_WEIGHT = 256 * 1024;

/** A collection's table, as reads of it use it. */
export interface Source {
  readonly collection: string;
  readonly codec: Codec;
  readonly dialect: Dialect;
  /** What to select for `decode`: all, or the declared columns alone. */
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
   * order, up to the one that reaches `weight`.
   */
  readonly weighed?: (places: Piece, collection: string, sort: string, order: "asc" | "desc", weight: number) => Piece;
  /** Waits between windows. */
  rest(took: number): Promise<void> | undefined;
}

/**
 * Implements `StorageDriver.page`. Without conditions that is one seek in the index. With conditions the index is read window
 * by window, with other work of the process in between; each window is consistent in itself.
 */
export async function pageSql(source: Source, query: PageQuery): Promise<Stored[]> {
  const range = rangeOf(source.collection, query);
  const { sort } = indexSpec(source.collection, query.index);
  const { codec, dialect, engine, selected } = source;
  const columns = columnClause(source.collection, range.rest, dialect);
  if (!columns) return [];
  const fields = range.rest.filter((condition) => "field" in condition);
  const holds = predicate(fields);
  const found: Stored[] = [];
  const pause = inSlices();
  const most = query.weight ?? Number.POSITIVE_INFINITY;
  let weight = 0;
  const windows =
    range.rest.length === 0 ? [{ range }] : walk(source, query.index, range, query.order, engine.windows.rows);
  const columnsOnly = query.columnsOnly === true && fields.length === 0;
  const isHeavy = !columnsOnly && (query.weight !== undefined || fields.length > 0);
  for await (const window of windows) {
    // Only rows that JavaScript need not look at can be limited in SQL.
    const asked = () =>
      ordered(dialect.column(sort), query.order, fields.length > 0 ? ALL_ROWS : query.limit - found.length);
    const rows = inTurns(window, query.order, sort, most, isHeavy && engine.weighed !== undefined, (part, weight) => {
      const read = { where: columns, all: asked() };
      return isHeavy
        ? heavy(source, query.index, part, query.order, weight, read)
        : select(source, query.index, part, { ...read, what: columnsOnly ? selected.columns : selected.all });
    });
    for await (const batch of rows) {
      for (const row of batch) {
        const stored = codec.decode(row);
        const waited = pause();
        if (waited) await waited;
        if (!holds(stored.value)) continue;
        found.push(stored);
        if (query.weight !== undefined) weight += String(row.data ?? "").length;
        if (found.length >= query.limit || weight >= most) return found;
      }
    }
  }
  return found;
}

/** The rows of a window in order, with other work of the process in between where they are heavy. */
async function* inTurns(
  window: Window,
  order: "asc" | "desc",
  sort: string,
  most: number,
  /** True if the engine ends a statement at the row that reaches the weight. */
  isCut: boolean,
  read: (part: Window, weight: number) => Rows,
): AsyncGenerator<SqlRow[]> {
  const weightOf = Math.min(TURN_WEIGHT, most);
  for (let part: Window | undefined = window; part; ) {
    const batch: SqlRow[] = [];
    let weight = 0;
    let last: SqlRow | undefined;
    const reading = read(part, weightOf);
    const found = reading instanceof Promise ? await reading : reading;
    // If the engine can't iterate row by row, all rows are in memory already.
    const whole = Array.isArray(found) && !isCut;
    for (const row of found) {
      batch.push(row);
      weight += String(row.data ?? "").length;
      if (weight < weightOf || whole) continue;
      last = row;
      break;
    }
    yield batch;
    if (!last) return;
    const place = { sort: last[sort], id: last.id } as Position;
    const range: Range = order === "asc" ? { ...part.range, lower: place } : { ...part.range, upper: place };
    part = { ...part, range };
    await ownTurn();
  }
}

/**
 * Implements `StorageDriver.count`: in SQL, or row by row if a condition needs a submission's fields, window by window in both
 * cases.
 */
export async function countSql(source: Source, query: CountQuery): Promise<Count> {
  const deadline = performance.now() + query.budgetMs;
  const range = rangeOf(source.collection, query);
  const { codec, dialect, engine, selected } = source;
  const columns = columnClause(source.collection, range.rest, dialect);
  const fields = range.rest.filter((condition) => "field" in condition);
  const { groupBy } = query;
  const inSql = fields.length === 0 && !(groupBy && "field" in groupBy);
  const groups = new Map<string | null, number>();
  const add = (key: string | null, n: number): void => void groups.set(key, (groups.get(key) ?? 0) + n);
  const holds = predicate(fields);
  const keyOf = groupBy ? groupKey(groupBy) : () => null;
  const pause = inSlices();
  const sqlGroup =
    groupBy && inSql
      ? groupColumn(source.collection, groupBy as { column: string; prefix?: number }, dialect)
      : undefined;

  let exact = true;
  if (columns) {
    exact = false;
    for await (const window of walk(source, query.index, range, "asc", engine.windows[inSql ? "counts" : "rows"])) {
      if (inSql) {
        const what = sqlGroup ? `${sqlGroup.sql} AS k, count(*) AS n` : "count(*) AS n";
        const each = { sql: sqlGroup ? "GROUP BY 1" : "", params: [] };
        const counting = select(source, query.index, window, { what, where: columns, each });
        const counted = counting instanceof Promise ? await counting : counting;
        for (const row of counted) add(sqlGroup ? sqlGroup.key(row.k) : null, Number(row.n));
      } else {
        const { sort } = indexSpec(source.collection, query.index);
        const all = ordered(dialect.column(sort), "asc", ALL_ROWS);
        const parts = inTurns(window, "asc", sort, TURN_WEIGHT, engine.weighed !== undefined, (part, weight) =>
          heavy(source, query.index, part, "asc", weight, { where: columns, all }),
        );
        for await (const batch of parts) {
          for (const row of batch) {
            const { value } = codec.decode(row);
            const waited = pause();
            if (waited) await waited;
            if (holds(value)) add(keyOf(value), 1);
          }
        }
      }
      exact = window.last;
      if (!exact && performance.now() >= deadline) break;
    }
  }
  const count = [...groups.values()].reduce((sum, n) => sum + n, 0);
  return groupBy ? { count, exact, groups: grouped(groups) } : { count, exact };
}

interface Window {
  readonly range: Range;
  readonly through?: "lower" | "upper";
}

/**
 * Cuts a range into windows with a number of index entries, matching or not, so that none takes long even if few rows match.
 * The number follows the time that the reader takes for one. For a merged index it is the entries of the longest run in the
 * window, because finding the edge among all runs costs five times as much.
 */
async function* walk(
  source: Source,
  index: string,
  whole: Range,
  order: "asc" | "desc",
  size: number,
): AsyncGenerator<Window & { last: boolean }> {
  const { sort } = indexSpec(source.collection, index);
  const { windowMs, rest } = source.engine;
  const by = source.dialect.column(sort);
  let range = whole;
  for (;;) {
    const started = performance.now();
    const each = ordered(by, order, 1, size - 1);
    const edges = select(source, index, { range }, { what: `${by}, id`, each, all: ordered(by, order, 1) });
    const [edge] = [...(edges instanceof Promise ? await edges : edges)];
    if (!edge) {
      yield { range, last: true };
      return;
    }
    const place = { sort: edge[sort], id: edge.id } as Position;
    yield order === "asc"
      ? { range: { ...range, upper: place }, through: "upper", last: false }
      : { range: { ...range, lower: place }, through: "lower", last: false };
    range = order === "asc" ? { ...range, lower: place } : { ...range, upper: place };
    const took = performance.now() - started;
    if (took > windowMs.most) size = Math.max(16, size >> 1);
    else if (took < windowMs.least) size = Math.min(65_536, size * 2);
    await (rest(took) ?? setImmediate());
  }
}

interface Selection {
  readonly what: string;
  readonly where?: Piece;
  /** See `united`. */
  readonly each?: Piece;
  readonly all?: Piece;
}

type Rows = Iterable<SqlRow> | Promise<readonly SqlRow[]>;

function select(source: Source, index: string, window: Window, selection: Selection): Rows {
  const statement = statementOf(source, index, window, selection);
  return statement ? source.read(statement) : [];
}

/** Whole rows in order, up to the one that reaches `weight` where the engine can cut there. */
function heavy(
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
