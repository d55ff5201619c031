import type { Core } from "../../core/core.ts";
import { type Reader, readerOf } from "../../core/fairness/reads.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import type { Row } from "../../core/rows.ts";
import { wrongParameter } from "../../errors.ts";
import { DAY_MS, HOUR_MS, iso } from "../../lib/clock.ts";
import { bucketEdges } from "../../model/buckets.ts";
import type { Caller } from "../../model/keys.ts";
import type { Interval, Statistics, StatisticsQuery } from "../../model/statistics.ts";
import { flushSeen, QUARTER_MS, type SeenDay, seenLeaf, seenMark } from "./seen.ts";

const MAX_BUCKETS = 400;
const BUDGET_MS = 10_000;
/** Rows that are read at once. */
const CHUNK = 500;
/** Before it, no form was there; calendars of earlier centuries are another matter. */
const EARLIEST = Date.UTC(2000, 0, 1);

/** Defaults of the query. */
const usual: Readonly<Record<Interval, number>> = {
  hour: 48 * HOUR_MS,
  day: 30 * DAY_MS,
  week: 182 * DAY_MS,
  month: 365 * DAY_MS,
};

type Counts = Omit<Statistics["data"][number], "start">;
const none = (): Counts => ({ views: 0, starts: 0, submissions: 0, spam: 0 });

/** A range in epoch ms, without `to`, and the starts of its buckets and the end of the last one. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly edges: readonly number[];
}

/**
 * Counts of views, starts and submissions of a form, in calendar buckets. Submissions are counted as they are stored now.
 * Throws `invalid_parameter`, `scan_concurrency`.
 */
export async function statisticsOf(
  core: Core,
  caller: Caller,
  form: Row<"forms">,
  query: StatisticsQuery,
): Promise<Statistics> {
  const range = rangeOf(core, query);
  const release = takeScan(core, caller, "long");
  try {
    await flushSeen(core);
    const reader = readerOf(core, caller);
    const counts = range.edges.slice(0, -1).map(none);
    for (const spam of [false, true]) await countSubmissions(reader, form.id, spam, range, counts);
    await countSeen(core, reader, form, range, counts);
    const data = counts.map((one, at) => ({ start: iso(range.edges[at] as number), ...one }));
    const totals = none();
    for (const one of counts) for (const name of Object.keys(totals) as (keyof Counts)[]) totals[name] += one[name];
    const completion_rate = totals.starts === 0 ? null : totals.submissions / totals.starts;
    return { data, totals: { ...totals, completion_rate } };
  } finally {
    release();
  }
}

function rangeOf(core: Core, query: StatisticsQuery): Range {
  const { interval, time_zone } = query;
  // Including those of this very millisecond.
  const to = query.to === undefined ? core.clock.now() + 1 : Date.parse(query.to);
  const from = query.from === undefined ? to - usual[interval] : Date.parse(query.from);
  if (from < EARLIEST) throw wrongParameter("from", "must be in the year 2000 or later");
  if (from >= to) throw wrongParameter("to", "must be later than `from`");
  const edges = bucketEdges({ from, to }, interval, time_zone, MAX_BUCKETS);
  if (edges) return { from, to, edges };
  throw wrongParameter("interval", `gives more than ${MAX_BUCKETS} buckets; take a longer one, or a shorter range`);
}

/** One query for each of spam and the rest, grouped as coarsely as the edges of the buckets let it. */
async function countSubmissions(
  reader: Reader,
  form_id: string,
  spam: boolean,
  { from, to, edges }: Range,
  counts: readonly Counts[],
): Promise<void> {
  const aligned = (ms: number): boolean => edges.every((edge) => edge % ms === 0);
  const [length, rest] = aligned(HOUR_MS) ? [13, ":00:00Z"] : aligned(HOUR_MS / 6) ? [15, "0:00Z"] : [16, ":00Z"];
  const { groups = [], exact } = await reader.count("submissions", {
    index: "form_spam",
    equals: { form_id, spam },
    where: [
      { column: "created_at", op: "gte", value: iso(from) },
      { column: "created_at", op: "lt", value: iso(to) },
    ],
    groupBy: { column: "created_at", prefix: length },
    budgetMs: BUDGET_MS,
  });
  if (!exact)
    throw wrongParameter("from", "leads to more submissions than can be counted at once; take a shorter range");
  for (const { key, count } of groups) {
    const bucket = key === null ? undefined : counts[placeOf(edges, Date.parse(key + rest))];
    if (bucket) bucket[spam ? "spam" : "submissions"] += count;
  }
}

async function countSeen(
  core: Core,
  reader: Reader,
  form: Row<"forms">,
  { from, to, edges }: Range,
  counts: readonly Counts[],
): Promise<void> {
  // Nobody can see a form before it was created, or in the future.
  const first = Math.max(from, Date.parse(form.value.created_at));
  const last = Math.min(to, core.clock.now() + DAY_MS);
  const days: number[] = [];
  for (let day = first - (first % DAY_MS); day < last; day += DAY_MS) days.push(day);
  for (let at = 0; at < days.length; at += CHUNK) {
    const some = days.slice(at, at + CHUNK);
    const rows = await reader.get(
      "marks",
      some.map((day) => seenMark(form.id, day)),
    );
    for (const day of some) {
      const row = rows.get(seenMark(form.id, day));
      if (row) addDay(day, core.rows.asMark(row, seenLeaf).value);
    }
  }

  function addDay(day: number, seen: SeenDay): void {
    for (const what of ["views", "starts"] as const) {
      for (const [quarter, n] of Object.entries(seen[what])) {
        const start = day + Number(quarter) * QUARTER_MS;
        if (start + QUARTER_MS <= from || start >= to) continue;
        const bucket = counts[Math.max(0, placeOf(edges, start))];
        if (bucket) bucket[what] += n;
      }
    }
  }
}

/** The bucket of an instant; -1 before the first. */
function placeOf(edges: readonly number[], instant: number): number {
  let [low, high] = [-1, edges.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((edges[middle] as number) <= instant) low = middle;
    else high = middle;
  }
  return low;
}
