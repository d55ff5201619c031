import type { Write } from "../../drivers/storage/types.ts";
import type { SubmissionRecord } from "../../model/submissions.ts";
import { addTo, seenCounter } from "../forms/counters.ts";
import { placesChanged } from "../forms/places.ts";

/** A stored submission before and after a change; null where it is not stored. */
export interface Change {
  readonly before: SubmissionRecord | null;
  readonly after: SubmissionRecord | null;
}

const isUnread = (record: SubmissionRecord | null): boolean => record !== null && !record.read && !record.spam;

/**
 * The writes that keep a form's number of unread submissions right, and its places where one leaves spam. They belong into the commit of the change, which must
 * expect the version it started from: otherwise two removals of one submission would count it twice.
 *
 * @example
 * await core.commitNow([put("submissions", id, after, version), ...tallied([{ before, after }], iso(now))]);
 */
export function tallied(changes: Iterable<Change>, at: string): Write[] {
  const seen = new Map<string, number>();
  const placed = new Set<string>();
  for (const { before, after } of changes) {
    if (before?.spam && after && !after.spam) placed.add(after.form_id);
    const record = after ?? before;
    if (record === null || isUnread(before) === isUnread(after)) continue;
    seen.set(record.form_id, (seen.get(record.form_id) ?? 0) + (isUnread(before) ? 1 : -1));
  }
  return [
    ...[...seen].filter(([, by]) => by !== 0).map(([form_id, by]) => addTo(seenCounter(form_id), by, at)),
    ...[...placed].map((form_id) => placesChanged(form_id, Date.parse(at))),
  ];
}
