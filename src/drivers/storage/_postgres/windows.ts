import { makeWay } from "../../../lib/turn.ts";
import { indexSpec } from "../../../model/collections.ts";
import type { Range } from "../_rows/range.ts";
import type { Ask } from "../_sql/pool.ts";
import { ordered, type Piece } from "../_sql/sql.ts";
import type { InTurn, Position } from "../types.ts";
import { select, type Window } from "./select.ts";
import type { PgTable } from "./table.ts";

/** Index entries of a window whose conditions are on columns: at first, and at most. */
const ENTRIES = { first: 8_192, most: 65_536 } as const;
/** Rows of a window whose conditions read the submissions' fields, and their bytes: a few milliseconds of the server's time. */
const ROWS = 1_024;
const BYTES = 512 * 1024;

interface Walk {
  readonly ask: Ask;
  readonly table: PgTable;
  readonly index: string;
  readonly order: "asc" | "desc";
  /** True if the statements read the fields of each row. Visitors decide how large those are. */
  readonly readsFields: boolean;
  readonly inTurn: InTurn;
  /** The milliseconds that remain. */
  left(): number;
}

/**
 * Cuts a range into windows that each take the server a few milliseconds, whatever their rows hold and however few match. A long
 * read with one statement would keep a core of the database from posts until it ends; between windows it makes way for them.
 * Ends before the last window if the time is up.
 */
export async function* walk(walked: Walk, whole: Range): AsyncGenerator<Window & { readonly last: boolean }> {
  const { order, left } = walked;
  let range = whole;
  for (let entries: number = ENTRIES.first; ; entries = Math.min(entries * 2, ENTRIES.most)) {
    if (range !== whole && left() <= 0) return;
    const started = performance.now();
    const edge = await edgeOf(walked, range, entries);
    if (!edge) {
      yield { range, last: true };
      return;
    }
    yield order === "asc"
      ? { range: { ...range, upper: edge }, through: "upper", last: false }
      : { range: { ...range, lower: edge }, through: "lower", last: false };
    range = order === "asc" ? { ...range, lower: edge } : { ...range, upper: edge };
    await makeWay(performance.now() - started);
  }
}

/** The last place of the range's first window; undefined if the window reaches its end. In a merged index, of the longest run. */
async function edgeOf(
  { ask, inTurn, table, index, order, readsFields }: Walk,
  range: Range,
  entries: number,
): Promise<Position | undefined> {
  const { sort } = indexSpec(table.collection, index);
  const [places, first] = [`${sort}, id`, ordered(sort, order, 1)];
  const statement = readsFields
    ? select(
        table,
        index,
        { range },
        {
          what: { sql: `${places}, data`, params: [] },
          wrap: (run) => filled(run, places, ordered(sort, order, ROWS)),
          each: first,
          all: first,
        },
      )
    : select(
        table,
        index,
        { range },
        { what: { sql: places, params: [] }, each: ordered(sort, order, 1, entries - 1), all: first },
      );
  const [edge] = statement ? await inTurn(() => ask(statement.sql, statement.params)) : [];
  return edge && ({ sort: edge[sort], id: edge.id } as Position);
}

/** The first row of a run at which a window is full. The text of a large value is made only up to that row. */
function filled(run: Piece, places: string, end: Piece): Piece {
  const bytes = "sum(octet_length(data::text)) OVER so_far AS bytes";
  const ahead = `SELECT ${places}, count(*) OVER so_far AS n, ${bytes} FROM (${run.sql} ${end.sql}) AS ahead WINDOW so_far AS (ROWS UNBOUNDED PRECEDING)`;
  return {
    sql: `SELECT * FROM (SELECT ${places} FROM (${ahead}) AS weighed WHERE n >= ? OR bytes >= ? LIMIT 1) AS full_at`,
    params: [...run.params, ...end.params, ROWS, BYTES],
  };
}
