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
  const [tag, other] = tagsOf(work);
  const rows = (query: Query, collection: string): AsyncIterable<Stored[]> =>
    tag && collection === "submissions"
      ? taggedRows(store, { tag, other, asides: work.asides }, query)
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

/** The tags whose runs lead to all that fit. Nobody is none: most have no assignee, and no run of their own. */
function tagsOf({ assignee, label }: WorkCondition): Tag[] {
  const tags: Tag[] = [];
  if (assignee) tags.push({ kind: "assignee", value: assignee });
  if (label !== undefined) tags.push({ kind: "label", value: label });
  return tags;
}

function fits({ work, aside }: SubmissionRecord, { assignee, label, asides }: WorkCondition): boolean {
  if (assignee !== undefined && (work?.assignee?.id ?? null) !== assignee) return false;
  if (label !== undefined && !work?.labels.includes(label)) return false;
  return asides.includes(aside ?? null);
}

/** A tag, and another one that a submission must have, too. */
interface Tagged {
  readonly tag: Tag;
  readonly other: Tag | undefined;
  readonly asides: WorkCondition["asides"];
}

/** The submissions with a tag, in the order of a query for one of the indexes by form or by team. */
async function* taggedRows(
  store: Pick<Reader, "page" | "get">,
  { tag, other, asides }: Tagged,
  { equals, where = [], after, order }: Query,
): AsyncGenerator<Stored[]> {
  const [scope, id] = scopeOf(equals);
  const runs = asides.map((aside) => runOf(scope, id, tag, aside));
  const partitions = runs.map((run): Partition => ({ index: "run", equals: { run } }));
  const others = other && new Map(asides.map((aside, at) => [runs[at], runOf(scope, id, other, aside)]));
  const isTime = (one: Condition): boolean => "column" in one && one.column === "created_at";
  const times = where.filter(isTime).map((one): Condition => ({ ...one, column: "at" }) as Condition);
  const holds = predicate([...where.filter((one) => !isTime(one)), ...pinned(equals)]);
  // Beyond every row of this submission, whatever its run.
  let place: Position | undefined = after && { sort: after.sort, id: rowIn(order === "asc" ? "~" : "", after.id) };
  for (;;) {
    const query = { partitions, where: times, after: place, order, limit: ENTRIES };
    const { rows, next } = await pageMerged(store, "submission_runs", query);
    const meant = others ? await alsoIn(store, others, rows) : rows;
    for (let start = 0; start < meant.length; start += FETCH) {
      const ids = meant.slice(start, start + FETCH).map((row) => String(row.value["submission_id"]));
      const found = await store.get("submissions", ids);
      // One that was removed or changed meanwhile has left the run.
      yield ids.flatMap((one) => found.get(one) ?? []).filter(({ value }) => holds(value));
    }
    if (!next) return;
    place = next;
  }
}

/** The rows of runs whose submissions are in the other run of each, too. Two tags may have thousands each and few together. */
async function alsoIn(
  store: Pick<Reader, "get">,
  others: ReadonlyMap<unknown, string>,
  rows: readonly Stored[],
): Promise<Stored[]> {
  const partner = ({ value }: Stored): string => rowIn(others.get(value["run"]) ?? "", String(value["submission_id"]));
  const there = await store.get("submission_runs", rows.map(partner));
  return rows.filter((row) => there.has(partner(row)));
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
