import type { Stored, Write } from "../drivers/storage/types.ts";
import { DAY_MS, iso } from "../lib/clock.ts";
import type { FormRecord } from "./schema.ts";

const PREFIX = "retention:";

/** Says of a deleted form how long its submissions may be kept, until the last of them is gone. */
export interface LeftBehind {
  form_id: string;
  days: number;
  /** When the oldest of them has been kept for so long. */
  expires_at: string;
}

/** The days that a form keeps its submissions; null = for ever. */
export function daysKept({ storage }: FormRecord): number | null {
  const days = Number.parseInt(storage.keep_for, 10);
  return Number.isNaN(days) ? null : days;
}

/** Remembers a form's submissions until `days` after `oldest` (epoch ms). */
export function leaveBehind(form_id: string, days: number, oldest: number): Write {
  const expires_at = iso(oldest + days * DAY_MS);
  const value = { form_id, days, expires_at };
  return { op: "put", collection: "marks", id: `${PREFIX}${form_id}:${expires_at}`, value };
}

export function isLeftBehind(mark: Stored<object>): mark is Stored<LeftBehind> {
  return mark.id.startsWith(PREFIX);
}
