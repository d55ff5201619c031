import type { Core } from "../../core/core.ts";
import { faultText } from "../../core/fault-text.ts";
import { perBackend } from "../../core/per-backend.ts";
import { put, retrying } from "../../core/rows.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { block, dictionary, nullable, number, text } from "../../lib/leaves.ts";
import type { MarkId } from "../../model/marks.ts";

/** Counts are kept by quarters of an hour: every time zone of today begins its hours with one. */
export const QUARTER_MS = 15 * 60_000;
const FLUSH_MS = 10_000;
const KEPT_MS = 1_830 * DAY_MS;

/** Reports of pages about a form. */
export type Seen = "views" | "starts";

/** A form's day in UTC, by the quarter of an hour from 0 to 95. */
export interface SeenDay {
  views: Record<string, number>;
  starts: Record<string, number>;
  expires_at: string | null;
}

export const seenLeaf = block<SeenDay>({
  views: dictionary(number()),
  starts: dictionary(number()),
  expires_at: nullable(text()),
});

/** The row of a form's day, which is named by any instant of it. */
export const seenMark = (formId: string, instant: number): MarkId => `seen:${formId}:${iso(instant).slice(0, 10)}`;

/** Counts since the last flush, by form and then by the start of the quarter of an hour. */
type Counts = Map<string, Map<number, Record<Seen, number>>>;

interface Tally {
  counts: Counts;
  /** The flush that takes them along; null while there is nothing to take. */
  next: Promise<void> | null;
  flush: () => Promise<void>;
  /** The flushes so far, one after the other: two at once would write the same rows. */
  written: Promise<void>;
}

const tallyOf = perBackend(
  (): Tally => ({ counts: new Map(), next: null, flush: async () => {}, written: Promise.resolve() }),
);

/** Counts one. It is written with all of the next ten seconds; the promise resolves then, and never rejects. */
export function see(core: Core, formId: string, what: Seen): Promise<void> {
  const tally = tallyOf(core);
  const now = core.clock.now();
  count(tally.counts, formId, now - (now % QUARTER_MS), { views: 0, starts: 0, [what]: 1 });
  tally.next ??= new Promise((resolve) => {
    const cancel = core.clock.setTimer(() => void flush(), FLUSH_MS);
    let running: Promise<void> | undefined;
    const flush = (): Promise<void> =>
      (running ??= (async () => {
        cancel();
        const { counts } = tally;
        tally.counts = new Map();
        tally.next = null;
        tally.written = tally.written.then(() => write(core, counts, tally));
        await tally.written;
        resolve();
      })());
    tally.flush = flush;
  });
  return tally.next;
}

/** Writes the counts so far: before they are read, and when a backend closes. */
export const flushSeen = (core: Core): Promise<void> => tallyOf(core).flush();

function count(counts: Counts, formId: string, quarter: number, by: Readonly<Record<Seen, number>>): void {
  const ofForm = counts.get(formId) ?? new Map<number, Record<Seen, number>>();
  const known = ofForm.get(quarter) ?? { views: 0, starts: 0 };
  ofForm.set(quarter, { views: known.views + by.views, starts: known.starts + by.starts });
  counts.set(formId, ofForm);
}

/** One write for each form, or two at midnight. Counts that can't be written now are kept. */
async function write(core: Core, counts: Counts, tally: Tally): Promise<void> {
  let fault: unknown;
  for (const [formId, quarters] of counts) {
    const days = new Map<MarkId, [number, Record<Seen, number>][]>();
    for (const entry of quarters) {
      const mark = seenMark(formId, entry[0]);
      days.set(mark, [...(days.get(mark) ?? []), entry]);
    }
    for (const [mark, entries] of days) {
      try {
        await add(core, mark, entries);
      } catch (error) {
        fault = error;
        for (const [quarter, by] of entries) count(tally.counts, formId, quarter, by);
      }
    }
  }
  if (fault) core.options.logger.warn(`views of forms could not be written; trying again: ${faultText(fault)}`);
}

const add = (core: Core, mark: MarkId, entries: readonly (readonly [number, Record<Seen, number>])[]): Promise<void> =>
  retrying(async () => {
    const before = await core.rows.mark(mark, seenLeaf);
    const views = { ...before?.value.views };
    const starts = { ...before?.value.starts };
    let expires = 0;
    for (const [quarter, by] of entries) {
      const at = String((quarter % DAY_MS) / QUARTER_MS);
      if (by.views > 0) views[at] = (views[at] ?? 0) + by.views;
      if (by.starts > 0) starts[at] = (starts[at] ?? 0) + by.starts;
      expires = quarter + KEPT_MS;
    }
    const day: SeenDay = { views, starts, expires_at: iso(expires) };
    await core.commitNow([put("marks", mark, day, before?.version ?? null)]);
  });
