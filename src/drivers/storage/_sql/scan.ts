import { setImmediate } from "node:timers/promises";
import { grouped, groupKey, predicate } from "../../../lib/conditions.ts";
import { inSlices, ownTurn } from "../../../lib/turn.ts";
import { indexSpec } from "../../../model/collections.ts";
import { type Range, rangeOf } from "../_rows/range.ts";
import type { Count, CountQuery, PageQuery, Position, Stored } from "../types.ts";
import { heavy, type Rows, type Source, select, type Window } from "./source.ts";
import { ALL_ROWS, columnClause, groupColumn, ordered, type SqlRow } from "./sql.ts";

/** Amount of heavy rows read before other work of the process gets its turn, about a millisecond. */
const TURN_WEIGHT = 256 * 1024;

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
  /** True if the engine ends a statement at the row that reaches the weight, in bytes. */
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
      const text = String(row.data ?? "");
      // The server cuts by bytes. Counted in characters, a part that it cut would pass for the whole window.
      weight += isCut ? Buffer.byteLength(text) : text.length;
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
  const { codec, dialect, engine } = source;
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
