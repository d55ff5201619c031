import type { Core } from "../../core/core.ts";
import { put, type Row } from "../../core/rows.ts";
import { StaleWriteError, type Write } from "../../drivers/storage/types.ts";
import { DAY_MS, dayOf, HOUR_MS, iso } from "../../lib/clock.ts";
import { block, nullable, text } from "../../lib/leaves.ts";
import type { MarkId } from "../../model/marks.ts";
import type { MarkRecord, Tally } from "../../model/records.ts";
import {
  addTo,
  closedCounter,
  countedCounter,
  DAYS_SHOWN,
  formCounter,
  oldDays,
  seenCounter,
} from "../forms/counters.ts";

const TRIES = 3;
/** As of a count that is not certain, so that the next sweep counts again. */
const LONG_AGO = iso(0);

const markLeaf = block<MarkRecord>({ expires_at: nullable(text()) });
const none: Tally = { n: 0, at: "" };

interface Counters {
  readonly all: Tally;
  readonly seen: Tally;
  readonly closed: Tally;
  readonly counted: Tally | null;
}

/**
 * Counts a form's unread and open submissions one by one and corrects its counters: for a store that is older than the counter, or shared
 * with a process of an earlier version. A count is only right if nobody wrote during it; it is tried three times. A form's
 * first count is used as it is, and the next sweep counts again. Returns false if it took longer than `budgetMs`.
 */
export async function recount(core: Core, formId: string, budgetMs: number): Promise<boolean> {
  const markId: MarkId = `recount:${formId}`;
  for (let tried = 1; ; tried++) {
    // Read first: a count of another process that is committed from here on makes ours stale.
    const mark = await core.rows.mark(markId, markLeaf);
    const before = await countersOf(core, formId);
    const unread = await core.storage.count("submissions", {
      index: "form_spam",
      equals: { form_id: formId, spam: false },
      where: [{ column: "read", op: "in", value: [false] }],
      budgetMs,
    });
    const open = await core.storage.count("submissions", {
      index: "form_aside",
      equals: { form_id: formId, spam: false, aside: null },
      budgetMs,
    });
    if (!unread.exact || !open.exact) return false;
    const quiet = isSame(before, await countersOf(core, formId));
    if (!quiet && (tried < TRIES || before.counted)) {
      if (tried < TRIES) continue;
      return true;
    }
    const now = core.clock.now();
    const drift = before.all.n - before.seen.n - unread.count;
    const openDrift = before.all.n - before.closed.n - open.count;
    const corrections = [
      ...(drift === 0 ? [] : [addTo(seenCounter(formId), drift, before.seen.at || LONG_AGO)]),
      ...(openDrift === 0 ? [] : [addTo(closedCounter(formId), openDrift, before.closed.at || LONG_AGO)]),
      ...(before.counted ? [] : await missingDays(core, formId, now, budgetMs)),
    ];
    const writes: Write[] = [
      ...(corrections.length > 0
        ? [put("marks", markId, { expires_at: iso(now + HOUR_MS) }, mark?.version ?? null), ...corrections]
        : []),
      addTo(countedCounter(formId), 1, quiet ? iso(now) : LONG_AGO),
      ...oldDays(formId, now),
    ];
    return core.commitNow(writes).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof StaleWriteError)) throw error;
        // Another process has just counted.
        return true;
      },
    );
  }
}

/** Forms that were counted last so long ago are counted again. */
const RECOUNT_MS = DAY_MS;
/** A sweep counts for as long, and one form for as long. */
const SWEEP_BUDGET_MS = 20_000;
const FORM_BUDGET_MS = 10_000;

/** Counts those forms again whose last count is a day old, until the time is used up. Returns the remaining time. */
export async function recountOld(
  core: Core,
  forms: readonly Row<"forms">[],
  budgetMs = SWEEP_BUDGET_MS,
): Promise<number> {
  let left = budgetMs;
  const counted = await core.rows.many(
    "counters",
    forms.map(({ id }) => countedCounter(id)),
  );
  const old = iso(core.clock.now() - RECOUNT_MS);
  for (const { id } of forms) {
    const last = counted.get(countedCounter(id))?.value.at;
    if (last !== undefined && last > old) continue;
    if (left <= 0) break;
    const began = performance.now();
    await recount(core, id, FORM_BUDGET_MS);
    left -= performance.now() - began;
  }
  return left;
}

async function countersOf(core: Core, formId: string): Promise<Counters> {
  const ids = [formCounter(formId, "all"), seenCounter(formId), closedCounter(formId), countedCounter(formId)] as const;
  const rows = await core.rows.many("counters", ids);
  const [all, seen, closed, counted] = ids.map((id) => rows.get(id)?.value ?? null);
  return { all: all ?? none, seen: seen ?? none, closed: closed ?? none, counted: counted ?? null };
}

const isSame = (a: Counters, b: Counters): boolean =>
  [a.all, a.seen, a.closed].every(({ n, at }, i) => {
    const other = [b.all, b.seen, b.closed][i] as Tally;
    return n === other.n && at === other.at;
  });

/** Stored submissions missing in the counters of single days. */
async function missingDays(core: Core, formId: string, now: number, budgetMs: number): Promise<Write[]> {
  const first = dayOf(iso(now - (DAYS_SHOWN - 1) * DAY_MS));
  const { groups = [], exact } = await core.storage.count("submissions", {
    index: "form_spam",
    equals: { form_id: formId, spam: false },
    where: [{ column: "created_at", op: "gte", value: `${first}T00:00:00.000Z` }],
    groupBy: { column: "created_at", prefix: first.length },
    budgetMs,
  });
  if (!exact) return [];
  const days = groups.flatMap(({ key, count }) => (key === null ? [] : [{ id: formCounter(formId, key), key, count }]));
  const rows = await core.rows.many(
    "counters",
    days.map(({ id }) => id),
  );
  return days.flatMap(({ id, key, count }) => {
    const lacks = count - (rows.get(id)?.value.n ?? 0);
    return lacks > 0 ? [addTo(id, lacks, `${key}T00:00:00.000Z`)] : [];
  });
}
