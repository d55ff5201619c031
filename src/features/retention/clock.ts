import type { Core } from "../../core/core.ts";
import { ignoreStale, put } from "../../core/rows.ts";
import { askStoreClock } from "../../core/store-clock.ts";
import { DAY_MS, HOUR_MS, iso, systemClock } from "../../lib/clock.ts";
import { block, moment, nullable, text, time } from "../../lib/leaves.ts";

/** Clocks drift by seconds; a step of more than this is a wrong clock, or a service that was off. */
const MAX_STEP_MS = 3 * DAY_MS;
/** The same for marks, which live for hours: without its mark a sign-in link or an idempotency key works again. */
const MAX_MARK_STEP_MS = 2 * HOUR_MS;
const DOUBT_MS = DAY_MS;
const MARK = "retention-clock";

/** The time of the last trusted sweep, and since when a later time is doubted. It does not expire. */
interface Believed {
  at: string;
  doubted_since: string | null;
  /** The same for marks; the earliest time in a row that was stored before there was one. */
  marks_at: string;
  marks_doubted_since: string | null;
  expires_at: null;
}

const believedLeaf = block<Believed>({
  at: text(),
  doubted_since: nullable(time()),
  marks_at: moment(),
  marks_doubted_since: nullable(time()),
  expires_at: { read: () => null },
});

/** Times for judging the age of data, in epoch ms. */
export interface RetentionTimes {
  readonly now: number;
  /** For marks, which can wait: it believes only smaller steps. */
  readonly marks: number;
}

/**
 * The times for judging the age of data: that of the store, whose clock all processes share. A store in this
 * process uses this machine's clock, and removed data can't be restored: a step of more than 3 days counts only once the clock
 * has shown it for a day. Until then retention uses the time of the last sweep. Marks doubt a step of more than 2 hours.
 */
export async function retentionTimes(core: Core): Promise<RetentionTimes> {
  // A clock that the host injected is the host's own word: nothing to ask, and nothing to doubt.
  if (core.clock !== systemClock) {
    const now = core.clock.now();
    return { now, marks: now };
  }
  await askStoreClock(core);
  const now = core.storeClock.now();
  const row = await core.rows.mark(MARK, believedLeaf);
  const next = judge(row?.value ?? null, now);
  if (next.doubted_since !== null && row?.value.doubted_since !== next.doubted_since) {
    core.options.logger.warn(
      `the store's clock shows ${iso(now)}, and the last sweep was at ${next.at}: retention waits for a day in case the clock is wrong`,
    );
  }
  // Another process that swept at the same time has written the same.
  await core.commitNow([put("marks", MARK, next, row?.version ?? null)]).catch(ignoreStale);
  return { now: Date.parse(next.at), marks: Date.parse(next.marks_at) };
}

function judge(before: Believed | null, now: number): Believed {
  const data = believed(before && { at: before.at, since: before.doubted_since }, now, MAX_STEP_MS);
  const marks = believed(before && { at: before.marks_at, since: before.marks_doubted_since }, now, MAX_MARK_STEP_MS);
  return {
    at: data.at,
    doubted_since: data.since,
    marks_at: marks.at,
    marks_doubted_since: marks.since,
    expires_at: null,
  };
}

interface Belief {
  readonly at: string;
  readonly since: string | null;
}

function believed(before: Belief | null, now: number, maxStep: number): Belief {
  if (!before || now - Date.parse(before.at) <= maxStep) return { at: iso(now), since: null };
  const since = before.since === null ? now : Math.min(Date.parse(before.since), now);
  return now - since >= DOUBT_MS ? { at: iso(now), since: null } : { at: before.at, since: iso(since) };
}
