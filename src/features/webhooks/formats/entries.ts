import type { Message } from "../../../model/messages.ts";
import { clean, cleanLine } from "./text.ts";
import type { FormatEvent } from "./types.ts";

/** A field or file as a message shows it. */
export interface Entry {
  readonly key: string;
  readonly value: string;
  /** The link to a file, whose name is the value. The link is ours, and complete. */
  readonly url?: string;
}

/** Longer links are left out, because a link can't be cut: a file name of 255 letters is 2,000 characters of URL in some scripts. */
const MAX_LINK = 700;

/** The fields in the order of their first value, several values of a name joined; then the files. */
export function entriesOf({ submission: { fields, attachments }, message }: FormatEvent): Entry[] {
  if (message) return messageEntries(message);
  const values = new Map<string, string[]>();
  for (const { key, value } of fields) {
    const known = values.get(key);
    if (known) known.push(value);
    else values.set(key, [value]);
  }
  return [
    ...[...values].map(([key, all]) => ({ key: cleanLine(key), value: clean(all.join(", ")) })),
    ...attachments.map(({ key, url }) => ({
      key: cleanLine(key),
      value: cleanLine(nameIn(url)),
      ...(url.length <= MAX_LINK && { url }),
    })),
  ];
}

const messageEntries = ({ from, subject, text, attachments }: Message): Entry[] => [
  { key: "From", value: cleanLine(from) },
  { key: "Subject", value: cleanLine(subject) },
  { key: "Message", value: clean(text) },
  ...attachments.map(({ name, url }) => ({
    key: "File",
    value: cleanLine(name),
    ...(url.length <= MAX_LINK && { url }),
  })),
];

function nameIn(url: string): string {
  const name = new URL(url).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** A URL, escaped for a markdown link. */
export const withoutParentheses = (url: string): string => url.replaceAll("(", "%28").replaceAll(")", "%29");

/** The heading of a message. */
export const titleOf = ({ type, form }: FormatEvent): string =>
  `${type === "submission.test" ? "Test" : type === "message.received" ? "New message" : "New submission"}: ${cleanLine(form.name)}`;

/** Shown in place of entries that did not fit. */
export const moreLine = (more: number): string => `+${more} more`;

/** Time and id: the link from the message to the submission. */
export const footOf = ({ submission: { created_at, id } }: FormatEvent): string =>
  `${created_at.slice(0, 10)} ${created_at.slice(11, 16)} UTC · ${id}`;

export interface Fit<T> {
  /** Limits of one value, the largest first. */
  readonly caps: readonly number[];
  /** Number of entries that the service allows. */
  readonly most?: number;
  /** Limit for all of them together. */
  readonly budget: number;
  readonly draw: (entry: Entry, cap: number) => T;
  readonly size: (drawn: T) => number;
}

/**
 * Draws the entries within a budget: under the largest cap on values with which all of them fit, and where they don't even under
 * the smallest, as many as do from the first on. `more` counts the others.
 */
export function fitted<T>(
  entries: readonly Entry[],
  { caps, most = entries.length, budget, draw, size }: Fit<T>,
): { drawn: T[]; more: number } {
  const candidates = entries.slice(0, most);
  let drawn: T[] = [];
  for (const cap of caps) {
    drawn = within(candidates, budget, (entry) => draw(entry, cap), size);
    if (drawn.length === candidates.length) break;
  }
  return { drawn, more: entries.length - drawn.length };
}

/** The first entries, up to the last one that fits. */
function within<T>(
  entries: readonly Entry[],
  budget: number,
  draw: (entry: Entry) => T,
  size: (drawn: T) => number,
): T[] {
  const drawn: T[] = [];
  let used = 0;
  for (const entry of entries) {
    const next = draw(entry);
    used += size(next);
    if (used > budget) break;
    drawn.push(next);
  }
  return drawn;
}
