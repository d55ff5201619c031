import type { Reader } from "../../core/fairness/reads.ts";
import { pagesOf } from "../../core/pages.ts";
import { type Partition, pageMerged } from "../../core/paging.ts";
import type { Condition, Count, CountQuery, Equals, PageQuery, Position, Stored } from "../../drivers/storage/types.ts";
import { grouped, groupKey, predicate } from "../../lib/conditions.ts";
import { inSlices } from "../../lib/turn.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { Selection, WorkCondition } from "./query.ts";
import { rowIn, runOf, type Tag } from "./runs.ts";

/** Rows of a run that are read at once, and submissions of them: one may have a megabyte. */
const ENTRIES = 200;
const FETCH = 16;

/**
 * A store whose pages and counts have only the submissions that fit a selection's label and assignee. It finds them by their
 * runs, so the time depends on how many have the label, and not on how many there are.
 */
export function readerFor<R extends Pick<Reader, "page" | "get" | "count">>(
  store: R,
  { work, collection }: Pick<Selection, "work" | "collection">,
): Pick<Reader, "page" | "get" | "count"> {
  if (!work) return store;
  const tag = tagOf(work);
  const rows = (query: Query, collection: string): AsyncIterable<Stored[]> =>
    tag && collection === "submissions"
      ? taggedRows(store, tag, work, query)
      : pagesOf(store, collection, { ...query, columnsOnly: false });
  const isMeant = (row: Stored): boolean => fits(row.value as object as SubmissionRecord, work);
  return {
    get: (name, ids) => store.get(name, ids),
    async page(name, query) {
      if (name !== collection) return store.page(name, query);
      const found: Stored[] = [];
      let weight = 0;
      for await (const some of rows(query, name)) {
        for (const row of some) {
          if (!isMeant(row)) continue;
          found.push(row);
          if (query.weight !== undefined) weight += JSON.stringify(row.value).length;
          if (found.length >= query.limit || weight >= (query.weight ?? Number.POSITIVE_INFINITY)) return found;
        }
      }
      return found;
    },
    count: (name, query) =>
      name === collection ? counted(rows({ ...query, order: "asc" }, name), isMeant, query) : store.count(name, query),
  };
}

type Query = Pick<PageQuery, "index" | "equals" | "where" | "after" | "order" | "inTurn">;

/** The tag whose runs lead to all that fit; null where nobody is to work on it: most have no assignee, and no run of their own. */
function tagOf({ assignee, label }: WorkCondition): Tag | null {
  if (assignee) return { kind: "assignee", value: assignee };
  return label === undefined ? null : { kind: "label", value: label };
}

function fits({ work, aside }: SubmissionRecord, { assignee, label, asides }: WorkCondition): boolean {
  if (assignee !== undefined && (work?.assignee?.id ?? null) !== assignee) return false;
  if (label !== undefined && !work?.labels.includes(label)) return false;
  return asides.includes(aside ?? null);
}

/** The submissions with a tag, in the order of a query for one of the indexes by form or by team. */
async function* taggedRows(
  store: Pick<Reader, "page" | "get">,
  tag: Tag,
  { asides }: WorkCondition,
  { equals, where = [], after, order }: Query,
): AsyncGenerator<Stored[]> {
  const [scope, id] = scopeOf(equals);
  const partitions = asides.map(
    (aside): Partition => ({ index: "run", equals: { run: runOf(scope, id, tag, aside) } }),
  );
  const isTime = (one: Condition): boolean => "column" in one && one.column === "created_at";
  const times = where.filter(isTime).map((one): Condition => ({ ...one, column: "at" }) as Condition);
  const holds = predicate([...where.filter((one) => !isTime(one)), ...pinned(equals)]);
  // Beyond every row of this submission, whatever its run.
  let place: Position | undefined = after && { sort: after.sort, id: rowIn(order === "asc" ? "~" : "", after.id) };
  for (;;) {
    const query = { partitions, where: times, after: place, order, limit: ENTRIES };
    const { rows, next } = await pageMerged(store, "submission_runs", query);
    for (let start = 0; start < rows.length; start += FETCH) {
      const ids = rows.slice(start, start + FETCH).map((row) => String(row.value["submission_id"]));
      const found = await store.get("submissions", ids);
      // One that was removed or changed meanwhile has left the run.
      yield ids.flatMap((one) => found.get(one) ?? []).filter(({ value }) => holds(value));
    }
    if (!next) return;
    place = next;
  }
}

function scopeOf(equals: Equals): ["form" | "team", string] {
  const of = "form_id" in equals ? "form" : "team";
  return [of, String(equals[`${of}_id`])];
}

/** What an index pins, as conditions. */
const pinned = (equals: Equals): Condition[] =>
  Object.entries(equals).map(([column, value]) => ({ column, op: "in", value: [value] }));

async function counted(
  pages: AsyncIterable<Stored[]>,
  isMeant: (row: Stored) => boolean,
  { groupBy, budgetMs }: CountQuery,
): Promise<Count> {
  const deadline = performance.now() + budgetMs;
  const keyOf = groupBy && groupKey(groupBy);
  const groups = new Map<string | null, number>();
  const pause = inSlices();
  let count = 0;
  let exact = true;
  for await (const rows of pages) {
    for (const row of rows.filter(isMeant)) {
      count++;
      if (keyOf) groups.set(keyOf(row.value), (groups.get(keyOf(row.value)) ?? 0) + 1);
    }
    await pause();
    if (performance.now() < deadline) continue;
    exact = false;
    break;
  }
  return keyOf ? { count, exact, groups: grouped(groups) } : { count, exact };
}
