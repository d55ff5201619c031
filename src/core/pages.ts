import { setImmediate } from "node:timers/promises";
import type { PageQuery, Position, StorageDriver, Stored } from "../drivers/storage/types.ts";
import { inSlices } from "../lib/turn.ts";
import { comparePositions, indexSpec } from "../model/collections.ts";
import type { Partition } from "./paging.ts";

/** Target size of a page of rows in characters: one submission may have a million, or a dozen. */
export const PAGE_WEIGHT = 512 * 1024;
/** The most that a list asks for: light ones are read at once. */
const FIRST_PAGE = 101;
const MAX_PAGE = 500;

/** Rows fetched at once by their ids, because their size is not known before. */
const FETCH = 8;
/** Partitions that are read at the same time. */
const SIDE_BY_SIDE = 4;

type Pages = Pick<StorageDriver, "page">;
type Rows = Pick<StorageDriver, "page" | "get">;

/**
 * The rows of one run of an index, page by page. Each page is as small as the store can make it, and is read only when it is
 * needed.
 */
export async function* pagesOf(
  store: Pages,
  collection: string,
  query: Omit<PageQuery, "limit" | "weight">,
  most = Number.POSITIVE_INFINITY,
  largest = MAX_PAGE,
): AsyncGenerator<Stored[]> {
  const { sort } = indexSpec(collection, query.index);
  let left = most;
  let size = Math.min(FIRST_PAGE, largest);
  const pause = inSlices();
  for (let after = query.after; ; ) {
    const limit = Math.min(size, left);
    const rows = await store.page(collection, { ...query, after, limit, weight: PAGE_WEIGHT });
    const last = rows.at(-1);
    if (!last) return;
    // Before the rows are given away, which may change them.
    const next: Position = { sort: last.value[sort] as string | number, id: last.id };
    const ended = rows.length < limit && !isHeavy(rows);
    yield rows;
    left -= rows.length;
    if (ended || left <= 0) return;
    after = next;
    // To find the end of a page, a store may have to read all its rows, so ask for about as many as it can return.
    size = Math.min(largest, rows.length * 2);
    // A store in this process may respond without a pause, page after page.
    await (pause() ?? setImmediate());
  }
}

/**
 * The most that a store may count for one character: JSON has six for some, and PostgreSQL seven bytes for those that its JSON
 * functions refuse. Too small a number would take a page that was cut for the last one, and hide every row behind it.
 */
const MOST_EACH = 8;

/** True if a page may be short because of its size. The end behind such a page is the empty one. */
const isHeavy = (rows: readonly Stored[]): boolean => {
  let weight = 0;
  return rows.some(({ value }) => {
    weight += charactersOf(value);
    return weight * MOST_EACH >= PAGE_WEIGHT;
  });
};

/** The length as JSON without escapes, or a little more, without putting it together. */
function charactersOf(value: unknown): number {
  if (typeof value === "string") return value.length + 3;
  if (typeof value !== "object" || value === null) return 6;
  let sum = 2;
  if (Array.isArray(value)) for (const item of value) sum += charactersOf(item);
  else for (const [key, item] of Object.entries(value)) sum += key.length + 4 + charactersOf(item);
  return sum;
}

/** Several runs of an index with the same sort order, read as one. */
export interface MergedQuery extends Pick<PageQuery, "where" | "after" | "order"> {
  readonly partitions: readonly Partition[];
}

/**
 * The first `most` rows of several runs, merged by place and then id. With many runs, only the columns are read first, about as
 * many of each run as needed, to find these rows; then the rows themselves, a few at a time. Rows that are removed in between
 * are left out.
 */
export async function* mergedPagesOf(
  store: Rows,
  collection: string,
  { partitions, ...query }: MergedQuery,
  most: number,
): AsyncGenerator<Stored[]> {
  const [only] = partitions;
  if (only && partitions.length === 1) return yield* pagesOf(store, collection, { ...only, ...query }, most);
  const ids = await mergedIds(store, collection, { partitions, ...query }, most);
  for (let start = 0; start < ids.length; start += FETCH) {
    const some = ids.slice(start, start + FETCH);
    const rows = await store.get(collection, some);
    yield some.flatMap((id) => rows.get(id) ?? []);
  }
}

interface Run {
  readonly partition: Partition;
  places: Position[];
  next: number;
  ended: boolean;
}

async function mergedIds(
  store: Pages,
  collection: string,
  { partitions, where, after, order }: MergedQuery,
  most: number,
): Promise<string[]> {
  const runs = partitions.map((partition): Run => ({ partition, places: [], next: 0, ended: false }));
  // Each run is read for its share and a little more; if it has more of the rows, it is read again, twice as far.
  const share = Math.ceil(most / Math.max(1, runs.length)) + 1;
  for (let at = 0; at < runs.length; at += SIDE_BY_SIDE) {
    await Promise.all(runs.slice(at, at + SIDE_BY_SIDE).map((run) => refill(run, share, after)));
  }
  const sign = order === "asc" ? 1 : -1;
  const ids: string[] = [];
  while (ids.length < most) {
    let first: Run | undefined;
    for (const run of runs) {
      const place = run.places[run.next];
      const best = first?.places[first.next];
      if (place && (!best || comparePositions(place, best) * sign < 0)) first = run;
    }
    const taken = first?.places[first.next];
    if (!first || !taken) break;
    ids.push(taken.id);
    first.next++;
    if (first.next === first.places.length && !first.ended) {
      await refill(first, Math.min(most - ids.length, first.places.length * 2) + 1, taken);
    }
  }
  return ids;

  async function refill(run: Run, limit: number, behind: Position | undefined): Promise<void> {
    const { sort } = indexSpec(collection, run.partition.index);
    const query = { ...run.partition, where, order, limit, after: behind, columnsOnly: true, weight: PAGE_WEIGHT };
    const rows = await store.page(collection, query);
    run.places = rows.map(({ id, value }) => ({ sort: value[sort] as string | number, id }));
    run.next = 0;
    run.ended = rows.length === 0;
  }
}
