import { assertStorable } from "../_rows/columns.ts";
import { type Range, rangeOf, runsOf } from "../_rows/range.ts";
import {
  columnClause,
  groupColumn,
  nothing,
  ordered,
  type Piece,
  rangeClause,
  type SqlRow,
  united,
} from "../_sql/sql.ts";
import { indexSpec } from "../schema.ts";
import type { Count, CountQuery, PageQuery, Position, Stored } from "../types.ts";
import { sqlState, TIMEOUT } from "./errors.ts";
import { fieldClause, fieldGroup } from "./fields.ts";
import type { Ask, Connections } from "./pool.ts";
import { dialect, inIndex, numbered, type PgTable } from "./table.ts";

/** The longest time of a page whose conditions match few rows. */
const SCAN_MS = 10_000;
/** Index entries that a count looks at in its first statement. */
const WINDOW = 8_192;
const MAX_WINDOW = 1_048_576;

export interface Source {
  readonly connections: Connections;
  readonly table: PgTable;
  /** See `fieldClause`. */
  readonly folded: string;
}

/** Implements `StorageDriver.page`: a seek in the index, with conditions checked row by row. */
export async function pagePg(source: Source, query: PageQuery): Promise<Stored[]> {
  const { connections, table } = source;
  const range = checkedRange(table.collection, query);
  const rest = conditions(source, range);
  if (!rest) return [];
  const { sort } = indexSpec(table.collection, query.index);
  const order = ordered(sort, query.order, query.limit);
  // Each run of a merged index says its order and limit itself: then, and only then, the planner walks the runs side by side.
  const what = query.columnsOnly ? ["id", "version", ...table.columns].join(", ") : table.selected;
  const ask = { what: { sql: what, params: [] }, where: rest, each: order, all: order };
  const statement = select(table, query.index, { range }, ask);
  if (!statement) return [];
  const { sql, params } = query.columnsOnly ? statement : weighed(statement, query.weight);
  const rows =
    range.rest.length === 0
      ? await connections.ask(sql, params, { again: true })
      : await connections.scan(
          "BEGIN READ ONLY",
          async (ask) => {
            await limitTo(ask, SCAN_MS);
            return ask(sql, params);
          },
          // The server ends the statement first.
          SCAN_MS + 1_000,
        );
  return rows.map(table.decode);
}

/** The rows of an ordered page up to a total size. The server cuts the page, so nothing beyond it is sent. */
function weighed({ sql, params }: Piece, weight: number | undefined): Piece {
  if (weight === undefined) return { sql, params };
  const sum = "sum(length(data)) OVER (ROWS UNBOUNDED PRECEDING) - length(data) AS before";
  return {
    sql: `SELECT * FROM (SELECT *, ${sum} FROM (${sql}) AS page) AS weighed WHERE before < $${params.length + 1}`,
    params: [...params, weight],
  };
}

/** Implements `StorageDriver.count` window by window of one snapshot, so there is a result when time is up. */
export async function countPg(source: Source, query: CountQuery): Promise<Count> {
  const { connections, table } = source;
  const range = checkedRange(table.collection, query);
  const rest = conditions(source, range);
  const { groupBy } = query;
  const group = groupBy ? groupOf(table.collection, groupBy) : undefined;
  const groups = new Map<string | null, number>();
  let exact = true;
  if (rest) {
    exact = false;
    const started = performance.now();
    const left = (): number => query.budgetMs - (performance.now() - started);
    try {
      await connections.scan(
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        async (ask) => {
          for await (const window of walk(ask, table, query.index, range, left)) {
            for (const row of await counted(ask, window)) {
              const key = group ? group.key(row.k) : null;
              groups.set(key, (groups.get(key) ?? 0) + Number(row.n));
            }
            exact = window.last;
          }
        },
        query.budgetMs + 2_000,
      );
    } catch (error) {
      if (sqlState((error as Error).cause) !== TIMEOUT) throw error;
    }
  }
  const count = [...groups.values()].reduce((sum, n) => sum + n, 0);
  if (!groupBy) return { count, exact };
  return { count, exact, groups: Array.from(groups, ([key, n]) => ({ key, count: n })) };

  async function counted(ask: Ask, window: Window): Promise<SqlRow[]> {
    const what = { sql: group ? `${group.sql} AS k, count(*) AS n` : "count(*) AS n", params: group?.params ?? [] };
    const each = { sql: group ? "GROUP BY 1" : "", params: [] };
    const statement = select(table, query.index, window, { what, where: rest!, each });
    return statement ? ask(statement.sql, statement.params) : [];
  }
}

interface Window {
  readonly range: Range;
  readonly through?: "upper";
}

/**
 * Cuts a range into windows with a fixed number of index entries, of the longest run if the index is merged. Each window gets
 * the remaining time.
 */
async function* walk(
  ask: Ask,
  table: PgTable,
  index: string,
  whole: Range,
  left: () => number,
): AsyncGenerator<Window & { last: boolean }> {
  const { sort } = indexSpec(table.collection, index);
  let range = whole;
  for (let size = WINDOW; ; size = Math.min(size * 2, MAX_WINDOW)) {
    if (range !== whole && left() <= 0) return;
    await limitTo(ask, left());
    const statement = select(
      table,
      index,
      { range },
      {
        what: { sql: `${sort}, id`, params: [] },
        each: ordered(sort, "asc", 1, size - 1),
        all: ordered(sort, "asc", 1),
      },
    );
    const [edge] = statement ? await ask(statement.sql, statement.params) : [];
    if (!edge) {
      yield { range, last: true };
      return;
    }
    const place = { sort: edge[sort], id: edge.id } as Position;
    yield { range: { ...range, upper: place }, through: "upper", last: false };
    range = { ...range, lower: place };
  }
}

/** Gives each of the transaction's next statements so much time. */
async function limitTo(ask: Ask, ms: number): Promise<void> {
  await ask("SELECT set_config('statement_timeout', $1, true)", [String(Math.max(10, Math.ceil(ms)))]);
}

function conditions({ table, folded }: Source, range: Range): Piece | null {
  const columns = columnClause(table.collection, range.rest, dialect);
  if (!columns) return null;
  const fields = fieldClause(range.rest, folded);
  return {
    sql: [columns.sql, fields.sql].filter(Boolean).join(" AND "),
    params: [...columns.params, ...fields.params],
  };
}

function groupOf(
  collection: string,
  groupBy: NonNullable<CountQuery["groupBy"]>,
): { sql: string; params: string[]; key: (found: unknown) => string | null } {
  return "field" in groupBy ? fieldGroup(groupBy) : { ...groupColumn(collection, groupBy), params: [] };
}

interface Selection {
  readonly what: Piece;
  readonly where?: Piece;
  /** See `united`. */
  readonly each?: Piece;
  readonly all?: Piece;
}

function select(
  { collection, name }: PgTable,
  index: string,
  window: Window,
  { what, where = nothing, each = nothing, all = nothing }: Selection,
): Piece | null {
  const selects = runsOf(collection, index, window.range).flatMap((run): Piece[] => {
    const clause = rangeClause(collection, run.index, run.range, window.through, dialect);
    if (!clause) return [];
    const kept = inIndex(collection, run.index, indexSpec(collection, run.index).sort);
    const sql = `SELECT ${what.sql} FROM ${name} WHERE ${[clause.sql, kept, where.sql].filter(Boolean).join(" AND ")}`;
    return [{ sql, params: [...what.params, ...clause.params, ...where.params] }];
  });
  if (selects.length === 0) return null;
  const { sql, params } = united(selects, each, all);
  return { sql: numbered(sql), params };
}

function checkedRange(collection: string, query: PageQuery | CountQuery): Range {
  const range = rangeOf(collection, query);
  for (const place of [range.lower, range.upper]) {
    if (place) assertStorable(`${place.sort}${place.id}`, "a position");
  }
  return range;
}
