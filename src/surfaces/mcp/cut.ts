import type { Place } from "./cursors.ts";
import { fits, ROOM, weightOf } from "./weight.ts";

interface Field {
  readonly key: string;
  readonly value: string;
}

/** A name that is longer says nothing more. */
const MAX_NAME = 200;

/**
 * Values from a place on, as many as fit beside `others` bytes; the last one may be cut. Returns the place of the rest, null if
 * that was all. The first number of a place is the field, the second the character in its value.
 */
export function fieldsFrom(
  fields: readonly Field[],
  [start, offset]: Place,
  others: number,
): { fields: Field[]; next: Place | null } {
  let left = ROOM - others;
  const taken: Field[] = [];
  for (let at = start; at < fields.length; at++) {
    const { key: name, value: whole } = fields[at] as Field;
    const from = at === start ? offset : 0;
    const key = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
    const value = whole.slice(from);
    const weight = weightOf({ key, value }) + 1;
    if (weight <= left) {
      taken.push({ key, value });
      left -= weight;
      continue;
    }
    const room = left - weightOf({ key, value: "" }) - 1;
    const size = lengthWithin(value, room);
    // A short rest of a page is not worth a piece, unless nothing else is on it.
    if (size < 200 && taken.length > 0) return { fields: taken, next: [at, from] };
    const piece = Math.max(1, size);
    return { fields: [...taken, { key, value: value.slice(0, piece) }], next: [at, from + piece] };
  }
  return { fields: taken, next: null };
}

/** Characters of a text, from its start, that weigh at most `room`; never half of a pair. */
function lengthWithin(text: string, room: number): number {
  let low = 0;
  let high = Math.min(text.length, Math.max(0, room));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (weightOf(text.slice(0, middle)) - 2 <= room) low = middle;
    else high = middle - 1;
  }
  return low > 0 && /[\ud800-\udbff]/.test(text[low - 1] as string) && low < text.length ? low - 1 : low;
}

const LARGEST = 8_192;
const SMALLEST = 256;

/** One part of a value whose long texts and lists are shown in parts, and the paths of those that go on. */
export interface Window {
  readonly value: object;
  readonly cut: string[];
  /** Characters of a text in each part. */
  readonly size: number;
}

/** The part of a value that a place names: the part's number, and its size; the size is chosen if it is 0. */
export function windowOf(value: object, [part, asked]: Place): Window {
  if (asked > 0) return windowed(value, part, Math.max(SMALLEST, Math.min(asked, LARGEST)));
  for (let size = LARGEST; ; size /= 2) {
    const window = windowed(value, part, size);
    if (fits(window.value) || size <= SMALLEST) return window;
  }
}

function windowed(value: object, part: number, size: number): Window {
  const cut: string[] = [];
  const most = Math.max(10, Math.floor(size / 64));
  const walk = (at: unknown, path: string, index: number): unknown => {
    if (typeof at === "string") {
      if (at.length <= size) return at;
      if (at.length > (index + 1) * size) cut.push(path);
      return at.slice(index * size, (index + 1) * size);
    }
    if (Array.isArray(at)) {
      if (at.length <= most) return at.map((entry, i) => walk(entry, `${path}.${i}`, index));
      if (at.length > (index + 1) * most) cut.push(path);
      const from = index * most;
      // Entries come in one part only, so a long text in one is shown from its start.
      return at.slice(from, from + most).map((entry, i) => walk(entry, `${path}.${from + i}`, 0));
    }
    if (typeof at !== "object" || at === null) return at;
    const members = Object.entries(at).map(([name, member]) => [
      name,
      walk(member, path === "" ? name : `${path}.${name}`, index),
    ]);
    return Object.fromEntries(members);
  };
  const shown = walk(value, "", part) as object;
  return { value: shown, cut: [...new Set(cut)].slice(0, 50), size };
}
