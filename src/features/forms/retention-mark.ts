import { put } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import { block, moment, number, text } from "../../lib/leaves.ts";
import type { FormRecord } from "../../model/form-record.ts";

/** Notes how long the submissions of a deleted form may be kept. It stays until the last of them is gone. */
export interface LeftBehind {
  form_id: string;
  days: number;
  /** The time of the next look: when the oldest of them expires, or a day later where none does. */
  expires_at: string;
}

export const leftBehindLeaf = block<LeftBehind>({ form_id: text(), days: number(), expires_at: moment() });

/** Days that stand for a form that keeps its submissions forever: a hundred years, as many as `keep_for` may have. */
export const FOREVER_DAYS = 36_500;

/** The days that a form keeps its submissions; null = forever. */
export function daysKept({ storage }: FormRecord): number | null {
  const days = Number.parseInt(storage.keep_for, 10);
  return Number.isNaN(days) ? null : days;
}

/** Remembers a form's submissions until the next look at them, in epoch ms. */
export function leaveBehind(form_id: string, days: number, at: number): Write {
  const expires_at = iso(at);
  const mark: LeftBehind = { form_id, days, expires_at };
  return put("marks", `retention:${form_id}:${expires_at}`, mark);
}
