import { createHash } from "node:crypto";
import { remove } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { DAY_MS, dayOf, iso, monthOf } from "../../lib/clock.ts";
import { createLru } from "../../lib/lru.ts";

/** A counter of a form: of `all` its posts, of those of a month (`2026-11`) or of a day (`2026-11-22`), and those below. */
export const formCounter = (form_id: string, of: string): string => `form:${form_id}:${of}`;

/**
 * The submissions that need no reading: read, spam, removed or not stored. The unread ones are the rest of `all`, so an unread
 * post writes no additional counter.
 */
export const seenCounter = (form_id: string): string => formCounter(form_id, "seen");

/**
 * The submissions that nobody has to work on: done, snoozed, spam, removed or not stored. The open ones are the rest of `all`.
 */
export const closedCounter = (form_id: string): string => formCounter(form_id, "closed");

/**
 * The submissions of the inbox that a person has read whose readers are told apart, and those of them that one person has read. What
 * is unread for that person alone is the difference. The name of a counter has the id of no person.
 */
export const apartCounter = (form_id: string): string => formCounter(form_id, "apart");
export const readerCounter = (form_id: string, person: string): string =>
  formCounter(form_id, `by:${createHash("sha256").update(person).digest("base64url").slice(0, 22)}`);

/** The number of full counts of the form's submissions, read and open; its time is that of the last certain count. */
export const countedCounter = (form_id: string): string => formCounter(form_id, "counted:open");

/** Names of a form's counters on a day. */
interface Counters {
  readonly at: string;
  readonly all: string;
  readonly month: string;
  readonly day: string;
}

const MAX_FORMS = 1_000;
const known = createLru<Counters>(MAX_FORMS);

/** The counters to which a post at `at` adds. Kept, so that the posts of a day share their names and V8 hashes them once. */
export function countersOf(form_id: string, at: string): Counters {
  const day = dayOf(at);
  const before = known.get(form_id);
  if (before?.at === day) return before;
  const counters = {
    at: day,
    all: formCounter(form_id, "all"),
    month: formCounter(form_id, monthOf(at)),
    day: formCounter(form_id, day),
  };
  known.set(form_id, counters);
  return counters;
}

/** The write that adds to a counter. */
export const addTo = (id: string, by: number, at: string): Write => ({ op: "add", id, by, at });

/** Days that a form's overview can show. */
export const DAYS_SHOWN = 90;
/** Days of which the oldest counters are removed at a time: for a form whose count was missed for a month. */
const DAYS_REMOVED = 31;
/** Counters of one form that its deletion removes: those of older months are as good as none. */
const MAX_MONTHS = 120;

/** Removes the counters of days that nothing shows any more. The posts of an older day are in the counter of its month. */
export const oldDays = (form_id: string, now: number): Write[] =>
  days(form_id, now - (DAYS_SHOWN + 1) * DAY_MS, DAYS_REMOVED);

/** Removes every counter of a form that is deleted. */
export function withoutCounters(form_id: string, created_at: string, now: number): Write[] {
  const months = new Set<string>();
  for (let at = now; months.size < MAX_MONTHS && monthOf(iso(at)) >= monthOf(created_at); at -= 28 * DAY_MS)
    months.add(monthOf(iso(at)));
  return [
    ...[...months, "all"].map((of) => remove("counters", formCounter(form_id, of))),
    ...lastCounters(form_id),
    ...days(form_id, now, DAYS_SHOWN + 1 + DAYS_REMOVED),
  ];
}

/** Removes the counters that the removal of a deleted form's submissions made anew. */
export const lastCounters = (form_id: string): Write[] => [
  remove("counters", seenCounter(form_id)),
  remove("counters", closedCounter(form_id)),
  remove("counters", apartCounter(form_id)),
  remove("counters", countedCounter(form_id)),
];

const days = (form_id: string, from: number, count: number): Write[] =>
  Array.from({ length: count }, (_, i) => remove("counters", formCounter(form_id, dayOf(iso(from - i * DAY_MS)))));
