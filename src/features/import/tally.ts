import type { Core } from "../../core/core.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { DAY_MS, dayOf, iso, monthOf } from "../../lib/clock.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import {
  addTo,
  apartCounter,
  closedCounter,
  DAYS_SHOWN,
  formCounter,
  readerCounter,
  seenCounter,
} from "../forms/counters.ts";
import { readersOf } from "../submissions/tally.ts";

/** The writes that count imported submissions in (`sign` 1) or out again (-1), each by its own date. */
export function tallyOf(core: Core, formId: string, records: readonly SubmissionRecord[], sign: 1 | -1): Write[] {
  const sums = new Map<string, { by: number; at: string }>();
  // Nobody would remove the counters of older days.
  const first = iso(core.clock.now() - (DAYS_SHOWN - 1) * DAY_MS).slice(0, 10);
  for (const record of records) {
    const { created_at, spam, read, aside } = record;
    const isGone = spam || "trashed_at" in record;
    const add = (id: string): void => {
      const sum = sums.get(id) ?? { by: 0, at: created_at };
      sums.set(id, { by: sum.by + sign, at: created_at > sum.at ? created_at : sum.at });
    };
    add(formCounter(formId, "all"));
    add(formCounter(formId, monthOf(created_at)));
    if (!spam && dayOf(created_at) >= first) add(formCounter(formId, dayOf(created_at)));
    if (isGone || read) add(seenCounter(formId));
    if (isGone || aside) add(closedCounter(formId));
    const readers = isGone ? [] : readersOf(record);
    if (readers.length > 0) add(apartCounter(formId));
    for (const person of new Set(readers)) add(readerCounter(formId, person));
  }
  // In one order everywhere, so that two processes which add to the same counters can't wait for each other.
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, { by, at }]) => addTo(id, by, at));
}
