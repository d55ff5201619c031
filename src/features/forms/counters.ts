import type { Write } from "../../drivers/storage/types.ts";
import { dayOf, monthOf } from "../../lib/clock.ts";
import { createLru } from "../../lib/lru.ts";

/** A counter of a form: of `all` its posts, of those of a month (`2026-11`) or of a day (`2026-11-22`), and those below. */
export const formCounter = (form_id: string, of: string): string => `form:${form_id}:${of}`;

/**
 * The submissions that need no reading: read, spam, removed or not stored. The unread ones are the rest of `all`, so an unread
 * post writes no additional counter.
 */
export const seenCounter = (form_id: string): string => formCounter(form_id, "seen");

/** The number of full counts of the form's submissions; its time is that of the last certain count. */
export const countedCounter = (form_id: string): string => formCounter(form_id, "counted");

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
