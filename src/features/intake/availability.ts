import type { ApiError } from "../../errors.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { told } from "../../texts/locales/_told.ts";

/** True if the form takes posts at this time; its places are another question. */
export function isOpenAt({ settings: { availability } }: FormRecord, now: number): boolean {
  const { opens_at, closes_at } = availability;
  return (opens_at === null || now >= Date.parse(opens_at)) && (closes_at === null || now < Date.parse(closes_at));
}

/** Throws `form_closed` before the form opens and after it has closed. */
export function assertOpenAt(form: FormRecord, now: number): void {
  if (isOpenAt(form, now)) return;
  const { opens_at, message } = form.settings.availability;
  const opens = opens_at !== null && now < Date.parse(opens_at) ? opens_at : null;
  throw told("form_closed", (words) => ({
    message:
      message || (opens === null ? words.errors.form_closed() : words.errors.form_opens({ time: words.time(opens) })),
  }));
}

/** The refusal of a form whose places are taken. */
export const formFull = ({ settings }: FormRecord): ApiError =>
  told("form_full", (words) => ({ message: settings.availability.message || words.errors.form_full() }));
