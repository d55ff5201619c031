import { setImmediate } from "node:timers/promises";
import { inSlices, ownTurn } from "../../../lib/turn.ts";
import { indexSpec } from "../../../model/collections.ts";
import { grouped, groupKey, predicate } from "../_rows/predicate.ts";
import { type Range, rangeOf, runsOf } from "../_rows/range.ts";
import {
  columnClause,
  groupColumn,
  indexName,
  nothing,
  ordered,
  type Piece,
  rangeClause,
  type SqlRow,
  type Table,
  united,
} from "../_sql/sql.ts";
import type { Count, CountQuery, PageQuery, Position, Stored } from "../types.ts";
import type { Connection } from "./engine.ts";

/** Amount of heavy rows read before other work of the process gets its turn, about a millisecond. */
const TURN_WEIGHT = 256 * 1024;
/** A window that takes longer is followed by a smaller one, and one that takes less time by a larger one. */
const WINDOW_MS = { most: 5, least: 2 } as const;

interface Source {
  readonly connection: Connection;
  readonly prefix: string;
  readonly collection: string;
  readonly table: Table;
}

/**
 * Implements `StorageDriver.page`. Without conditions that is one seek in the index. With conditions the index is read window
 * by window, with other work of the process in between; each window is consistent in itself.
 */
export async function pageSql(source: Source, query: PageQuery): Promise<Stored[]> {
  const range = rangeOf(source.collection, query);
  const { sort } = indexSpec(source.collection, query.index);
  const columns = columnClause(source.collection, range.rest);
  if (!columns) return [];
  const fields = range.rest.filter((condition) => "field" in condition);
  const holds = predicate(fields);
  const found: Stored[] = [];
  const pause = inSlices();
  const most = query.weight ?? Number.POSITIVE_INFINITY;
  let weight = 0;
  const windows = range.rest.length === 0 ? [{ range }] : walk(source, query.index, range, query.order, 256);
  for await (const window of windows) {
    // Only rows that JavaScript need not look at can be limited in SQL.
    const asked = () => ordered(sort, query.order, fields.length > 0 ? -1 : query.limit - found.length);
    const what = query.columnsOnly && fields.length === 0 ? source.table.columns : "*";
    const rows = inTurns(window, query.order, sort, most, (part) =>
      select(source, query.index, part, { what, where: columns, all: asked() }),
    );
    for await (const batch of rows) {
      for (const row of batch) {
        const stored = source.table.decode(row);
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
  read: (part: Window) => Iterable<SqlRow>,
): AsyncGenerator<SqlRow[]> {
  for (let part: Window | undefined = window; part; ) {
    const batch: SqlRow[] = [];
    let weight = 0;
    let last: SqlRow | undefined;
    const found = read(part);
    // If the engine can't iterate row by row, all rows are in memory already.
    const whole = Array.isArray(found);
    for (const row of found) {
      batch.push(row);
      weight += String(row.data ?? "").length;
      if (weight < Math.min(TURN_WEIGHT, most) || whole) continue;
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
  const columns = columnClause(source.collection, range.rest);
  const fields = range.rest.filter((condition) => "field" in condition);
  const { groupBy } = query;
  const inSql = fields.length === 0 && !(groupBy && "field" in groupBy);
  const groups = new Map<string | null, number>();
  const add = (key: string | null, n: number): void => void groups.set(key, (groups.get(key) ?? 0) + n);
  const holds = predicate(fields);
  const keyOf = groupBy ? groupKey(groupBy) : () => null;
  const pause = inSlices();
  const sqlGroup =
    groupBy && inSql ? groupColumn(source.collection, groupBy as { column: string; prefix?: number }) : undefined;

  let exact = true;
  if (columns) {
    exact = false;
    for await (const window of walk(source, query.index, range, "asc", inSql ? 4096 : 256)) {
      const rows = (what: string, each: string): Iterable<SqlRow> =>
        select(source, query.index, window, { what, where: columns, each: { sql: each, params: [] } });
      if (inSql) {
        const what = sqlGroup ? `${sqlGroup.sql} AS k, count(*) AS n` : "count(*) AS n";
        for (const row of rows(what, sqlGroup ? "GROUP BY 1" : ""))
          add(sqlGroup ? sqlGroup.key(row.k) : null, Number(row.n));
      } else {
        const { sort } = indexSpec(source.collection, query.index);
        const all = ordered(sort, "asc", -1);
        const parts = inTurns(window, "asc", sort, TURN_WEIGHT, (part) =>
          select(source, query.index, part, { what: "*", where: columns, all }),
        );
        for await (const batch of parts) {
          for (const row of batch) {
            const { value } = source.table.decode(row);
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
  const pause = inSlices();
  let range = whole;
  for (;;) {
    const started = performance.now();
    const [edge] = [
      ...select(
        source,
        index,
        { range },
        {
          what: `${sort}, id`,
          each: ordered(sort, order, 1, size - 1),
          all: ordered(sort, order, 1),
        },
      ),
    ];
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
    if (took > WINDOW_MS.most) size = Math.max(16, size >> 1);
    else if (took < WINDOW_MS.least) size = Math.min(65_536, size * 2);
    await (pause() ?? setImmediate());
  }
}

interface Selection {
  readonly what: string;
  readonly where?: Piece;
  /** See `united`. */
  readonly each?: Piece;
  readonly all?: Piece;
}

function select(
  { collection, connection, prefix, table }: Source,
  index: string,
  window: Window,
  { what, where = nothing, each = nothing, all = nothing }: Selection,
): Iterable<SqlRow> {
  const selects = runsOf(collection, index, window.range).flatMap((run): Piece[] => {
    const clause = rangeClause(collection, run.index, run.range, window.through);
    if (!clause) return [];
    // The index is part of the query: the planner, left alone, may sort a whole partition instead.
    const from = `${table.name} INDEXED BY ${indexName(prefix, collection, run.index)}`;
    const sql = `SELECT ${what} FROM ${from} WHERE ${[clause.sql, where.sql].filter(Boolean).join(" AND ")}`;
    return [{ sql, params: [...clause.params, ...where.params] }];
  });
  if (selects.length === 0) return [];
  // Runs that end by themselves are read one by one; SQLite merges the others and reads only as much of each as it needs.
  const { sql, params } = united(selects, each, all);
  return connection.each(sql, params);
}
