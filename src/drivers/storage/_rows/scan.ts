import { setImmediate } from "node:timers/promises";
import { grouped, groupKey, predicate } from "../../../lib/conditions.ts";
import type { Count, CountQuery, PageQuery, Stored } from "../types.ts";
import { columnsOf } from "./columns.ts";
import { type Range, rangeOf } from "./range.ts";
import { copyRow, type Rows, seek, sortOf } from "./rows.ts";

/** Rows looked at before other work of the process gets its turn. */
const TURN = 1000;

/** Implements `StorageDriver.page` with rows in memory. */
export async function pageRows(rows: Rows, collection: string, query: PageQuery): Promise<Stored[]> {
  const range = rangeOf(collection, query);
  const [list, from, to] = stretch(rows, collection, query.index, range, range.rest.length > 0);
  const step = query.order === "asc" ? 1 : -1;
  const found: Stored[] = [];
  const holds = predicate(range.rest);
  const most = query.weight ?? Number.POSITIVE_INFINITY;
  const copy = query.columnsOnly ? columnsCopier(collection) : copyRow;
  let looked = 0;
  let weight = 0;
  for (
    let i = step > 0 ? from : to - 1;
    i >= from && i < to && found.length < query.limit && weight < most;
    i += step
  ) {
    const row = list[i]!;
    if (holds(row.value)) {
      const copied = copy(row);
      found.push(copied);
      if (query.weight !== undefined) weight += JSON.stringify(copied.value).length;
    }
    if (range.rest.length > 0 && ++looked % TURN === 0) await setImmediate();
  }
  return found;
}

function columnsCopier(collection: string): (row: Stored) => Stored {
  const columns = columnsOf(collection);
  return ({ id, value, version }) => ({
    id,
    value: Object.fromEntries(columns.map(({ name, read }) => [name, read(value)])),
    version,
  });
}

/** Implements `StorageDriver.count` with rows in memory. */
export async function countRows(rows: Rows, collection: string, query: CountQuery): Promise<Count> {
  const range = rangeOf(collection, query);
  const plain = range.rest.length === 0 && !query.groupBy;
  const [list, from, to] = stretch(rows, collection, query.index, range, !plain);
  if (plain) return { count: to - from, exact: true };
  const deadline = performance.now() + query.budgetMs;
  const holds = predicate(range.rest);
  const keyOf = query.groupBy && groupKey(query.groupBy);
  const groups = new Map<string | null, number>();
  let count = 0;
  let looked = 0;
  while (from + looked < to) {
    const { value } = list[from + looked]!;
    if (holds(value)) {
      count++;
      if (keyOf) {
        const key = keyOf(value);
        groups.set(key, (groups.get(key) ?? 0) + 1);
      }
    }
    if (++looked % TURN === 0) {
      await setImmediate();
      if (performance.now() >= deadline) break;
    }
  }
  const exact = from + looked >= to;
  return keyOf ? { count, exact, groups: grouped(groups) } : { count, exact };
}

/** A partition and the bounds of the range in it; copied where the walk will pause, so that no commit shows by half. */
function stretch(
  rows: Rows,
  collection: string,
  index: string,
  range: Range,
  pauses: boolean,
): [readonly Stored[], number, number] {
  const live = rows.list(collection, index, range.pins);
  const sort = sortOf(collection, index);
  const from = range.lower ? seek(live, sort, range.lower, false) : 0;
  const to = Math.max(from, range.upper ? seek(live, sort, range.upper, true) : live.length);
  if (to - from < TURN || !pauses) return [live, from, to];
  return [live.slice(from, to), 0, to - from];
}
