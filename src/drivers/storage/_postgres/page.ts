import { inSlices } from "../../../lib/turn.ts";
import { indexSpec } from "../../../model/collections.ts";
import { ordered, type Piece, type SqlRow } from "../_sql/sql.ts";
import { type InTurn, type PageQuery, StoreDownError, type Stored } from "../types.ts";
import { atOnce, beginWindows, checkedRange, conditions, type Source, select, type Window } from "./select.ts";
import type { PgTable } from "./table.ts";
import { walk } from "./windows.ts";

/** The longest time of a page whose conditions match few rows, without its waits for its turn, and with them. */
const SCAN_MS = 10_000;
const WHOLE_MS = 30_000;

/** Implements `StorageDriver.page`: a seek in the index; with conditions, window by window of one snapshot. */
export async function pagePg(source: Source, query: PageQuery): Promise<Stored[]> {
  const { connections, table } = source;
  const range = checkedRange(table.collection, query);
  const where = conditions(source, range);
  if (!where) return [];
  const { inTurn = atOnce } = query;
  const { sort } = indexSpec(table.collection, query.index);
  const what = { sql: query.columnsOnly ? ["id", "version", ...table.columns].join(", ") : table.selected, params: [] };

  function rowsOf(window: Window, limit: number, weight: number | undefined): Piece | null {
    // Each run of a merged index says its order and limit itself: then, and only then, the planner walks the runs side by side.
    const order = ordered(sort, query.order, limit);
    const statement = select(table, query.index, window, { what, where: where!, each: order, all: order });
    return statement && (query.columnsOnly ? statement : weighed(statement, weight));
  }

  if (range.rest.length === 0) {
    const statement = rowsOf({ range }, query.limit, query.weight);
    if (!statement) return [];
    return decoded(table, await inTurn(() => connections.ask(statement.sql, statement.params, { again: true })));
  }
  const started = performance.now();
  let waited = 0;
  const left = (): number => {
    const passed = performance.now() - started;
    return Math.min(SCAN_MS - (passed - waited), WHOLE_MS - passed);
  };
  const timed: InTurn = (statement) => {
    const from = performance.now();
    return inTurn(() => {
      waited += performance.now() - from;
      return statement();
    });
  };
  const readsFields = range.rest.some((condition) => "field" in condition);
  return connections.scan(
    ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"],
    async (ask) => {
      await beginWindows(ask, SCAN_MS);
      const found: Stored[] = [];
      let weight = query.weight;
      for await (const window of walk(
        { ask, inTurn: timed, table, index: query.index, order: query.order, readsFields, left },
        range,
      )) {
        const statement = rowsOf(window, query.limit - found.length, weight);
        const rows = statement ? await timed(() => ask(statement.sql, statement.params)) : [];
        found.push(...(await decoded(table, rows)));
        if (weight !== undefined) weight -= bytesOf(rows);
        if (window.last || found.length >= query.limit || (weight !== undefined && weight <= 0)) return found;
      }
      throw new StoreDownError(
        `[form-backend] postgres: a filtered page took longer than ${SCAN_MS} ms; narrow the filter, or give the server more power`,
        { nothingWritten: true },
      );
    },
    // The server ends a statement first.
    WHOLE_MS + 1_000,
  );
}

/** The size of rows as the server counts it: if it has cut a window, nothing of the weight is left, and the page ends. */
const bytesOf = (rows: readonly SqlRow[]): number =>
  rows.reduce((sum, { data }) => sum + Buffer.byteLength(String(data ?? "")), 0);

/** The rows of an ordered page up to a total size. The server cuts the page, so nothing beyond it is sent. */
function weighed({ sql, params }: Piece, weight: number | undefined): Piece {
  if (weight === undefined) return { sql, params };
  // In bytes: to count characters takes the server three times as long.
  const sum = "sum(octet_length(data)) OVER (ROWS UNBOUNDED PRECEDING) - octet_length(data) AS before";
  return {
    sql: `SELECT * FROM (SELECT *, ${sum} FROM (${sql}) AS page) AS weighed WHERE before < $${params.length + 1}`,
    params: [...params, weight],
  };
}

/** The rows' values. Large ones take milliseconds each, so other work of the process gets its turn in between. */
export async function decoded(table: PgTable, rows: readonly SqlRow[]): Promise<Stored[]> {
  const pause = inSlices();
  const found: Stored[] = [];
  for (const row of rows) {
    found.push(table.decode(row));
    const waited = pause();
    if (waited) await waited;
  }
  return found;
}
