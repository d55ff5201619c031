import { type Html, html } from "../../../lib/html.ts";
import { createLru } from "../../../lib/lru.ts";
import type { PublicRequest } from "../visit.ts";

/** A formatter takes longer to make than a line of a list, and a page needs the same few for each of its lines. */
const formats = createLru<Intl.DateTimeFormat>(500);

const looks = {
  day: { year: "numeric", month: "numeric", day: "numeric" },
  year: { year: "numeric" },
  hour: { hour: "2-digit", minute: "2-digit" },
  month: { month: "short", year: "numeric" },
  short: { day: "numeric", month: "short" },
  date: { day: "numeric", month: "short", year: "numeric" },
  long: { dateStyle: "medium", timeStyle: "short" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

function written({ words, timeZone }: PublicRequest, look: keyof typeof looks, date: Date): string {
  const tag = dateTag(words.tag);
  const key = `${tag} ${timeZone} ${look}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(tag, { timeZone, ...looks[look] });
    formats.set(key, format);
  }
  return format.format(date);
}

/**
 * A time in a list: the hour for today, the day for this year, otherwise the date. The script shows it in the reader's own time
 * zone.
 */
export function shortTime(door: PublicRequest, timestamp: string): Html {
  const [date, now] = [new Date(timestamp), new Date(door.core.clock.now())];
  const same = (look: "day" | "year"): boolean => written(door, look, date) === written(door, look, now);
  const text = written(door, same("day") ? "hour" : same("year") ? "short" : "date", date);
  return html`<time datetime="${timestamp}" data-time="short">${text}</time>`;
}

/** A time in full. */
export const longTime = (door: PublicRequest, timestamp: string): Html =>
  html`<time datetime="${timestamp}" data-time="long">${longText(door, timestamp)}</time>`;

/** The same as text, such as for a mail. */
export const longText = (door: PublicRequest, timestamp: string): string => written(door, "long", new Date(timestamp));

/** A day or a month as text, in the time zone of the person's own setting. */
export const dateText = (door: PublicRequest, timestamp: string, look: "short" | "month"): string =>
  written(door, look, new Date(timestamp));

/** A number as the language writes it. */
export const count = (door: PublicRequest, n: number): string => new Intl.NumberFormat(door.words.tag).format(n);

/** English dates are written as most of the world does. */
const dateTag = (tag: string): string => (tag === "en" ? "en-GB" : tag);
