import type { Write } from "../drivers/storage/types.ts";

/** A counter of a form: of `all` its posts, of those of a month (`2026-11`) or of a day (`2026-11-22`), and those below. */
export const formCounter = (form_id: string, of: string): string => `form:${form_id}:${of}`;

/**
 * The submissions that need no reading: read, spam, removed or not stored. The unread ones are the rest of `all`, so an unread
 * post writes no additional counter.
 */
export const seenCounter = (form_id: string): string => formCounter(form_id, "seen");

/** The number of full counts of the form's submissions; its time is that of the last certain count. */
export const countedCounter = (form_id: string): string => formCounter(form_id, "counted");

/** The write that adds to a counter. */
export const addTo = (id: string, by: number, at: string): Write => ({ op: "add", id, by, at });
