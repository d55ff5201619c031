import type { Write } from "../../drivers/storage/types.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { addTo, apartCounter, closedCounter, readerCounter, seenCounter } from "../forms/counters.ts";
import { placesChanged } from "../forms/places.ts";
import { runWrites } from "./runs.ts";

/** A stored submission before and after a change; null where it is not stored. */
export interface Change {
  readonly id: string;
  readonly before: SubmissionRecord | null;
  readonly after: SubmissionRecord | null;
}

const isUnread = (record: SubmissionRecord | null): boolean => record !== null && !record.read && !record.spam;
const isOpen = (record: SubmissionRecord | null): boolean => record !== null && !record.spam && !record.aside;

/** The people who are told apart as its readers. Spam and what nobody has read is in no count of unread ones but that of all. */
export const readersOf = (record: SubmissionRecord | null): readonly string[] =>
  record?.read && !record.spam ? (record.read_by ?? []) : [];

/**
 * The writes that keep a form's numbers of unread and of open submissions right, those of each person among them, the runs by which one is found, and the form's
 * places where one leaves spam. They belong into the commit of the change, which must expect the version it started from:
 * otherwise two removals of one submission would count it twice.
 *
 * @example
 * await core.commitNow([put("submissions", id, after, version), ...tallied([{ id, before, after }], iso(now))]);
 */
export function tallied(changes: Iterable<Change>, at: string): Write[] {
  const sums = new Map<string, number>();
  const placed = new Set<string>();
  const runs: Write[] = [];
  const add = (counter: string, was: boolean, is: boolean): void => {
    if (was !== is) sums.set(counter, (sums.get(counter) ?? 0) + (was ? 1 : -1));
  };
  for (const { id, before, after } of changes) {
    if (before?.spam && after && !after.spam) placed.add(after.form_id);
    const record = after ?? before;
    if (record === null) continue;
    add(seenCounter(record.form_id), isUnread(before), isUnread(after));
    add(closedCounter(record.form_id), isOpen(before), isOpen(after));
    const [were, are] = [readersOf(before), readersOf(after)];
    add(apartCounter(record.form_id), were.length === 0, are.length === 0);
    for (const person of new Set([...were, ...are]))
      add(readerCounter(record.form_id, person), !were.includes(person), !are.includes(person));
    runs.push(...runWrites(id, before, after));
  }
  return [
    ...[...sums].filter(([, by]) => by !== 0).map(([counter, by]) => addTo(counter, by, at)),
    ...runs,
    ...[...placed].map((form_id) => placesChanged(form_id, Date.parse(at))),
  ];
}
