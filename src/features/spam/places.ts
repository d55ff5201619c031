import type { SubmissionField } from "../../model/submission-field.ts";
import type { VerdictPlace } from "../../model/verdict.ts";
import { plainUnit } from "./phrases.ts";

/** More marks than this tell a reader no more. */
const MAX_PLACES = 20;
/** Of the places of one verdict: every spam post is looked at once more, on the host's event loop. */
const MAX_TEXT = 20_000;

/** The places of the matches of a pattern with the flag `g`; null for a field that is not looked at. */
export const patternPlaces = (
  fields: readonly SubmissionField[],
  patternFor: (field: SubmissionField) => RegExp | null,
): VerdictPlace[] =>
  placesIn(fields, function* (value, field) {
    const pattern = patternFor(field);
    if (!pattern) return;
    for (const match of value.matchAll(pattern)) yield [match.index, match.index + match[0].length];
  });

/** The places of phrases as `knownPhrases` names them, however they are disguised. One that spans two fields has none. */
export const phrasePlaces = (fields: readonly SubmissionField[], phrases: readonly string[]): VerdictPlace[] =>
  placesIn(fields, function* (value) {
    const { plain, starts, ends } = plainOf(value);
    for (const phrase of phrases) {
      for (let at = plain.indexOf(phrase); at !== -1; at = plain.indexOf(phrase, at + 1)) {
        const end = at + phrase.length;
        if (/[\p{L}\p{N}]$/u.test(plain.slice(Math.max(0, at - 2), at))) continue;
        if (/^[\p{L}\p{N}]/u.test(plain.slice(end, end + 2))) continue;
        yield [starts[at] as number, ends[end - 1] as number];
      }
    }
  });

/** The first places that are found, in the order of the fields. */
function placesIn(
  fields: readonly SubmissionField[],
  find: (value: string, field: SubmissionField) => Iterable<readonly [start: number, end: number]>,
): VerdictPlace[] {
  const places: VerdictPlace[] = [];
  const seen = new Map<string, number>();
  let left = MAX_TEXT;
  for (const field of fields) {
    const { key, value } = field;
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    if (left <= 0) break;
    const here: VerdictPlace[] = [];
    for (const [start, end] of find(value.slice(0, left), field)) {
      here.push({ key, nth, start, end });
      if (places.length + here.length === MAX_PLACES) break;
    }
    places.push(...here.sort((a, b) => a.start - b.start));
    if (places.length === MAX_PLACES) break;
    left -= value.length;
  }
  return places;
}

/** A text as phrases are looked for in it, and from where to where each of its characters was in the text itself. */
function plainOf(value: string): { plain: string; starts: number[]; ends: number[] } {
  const plain: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  for (let at = 0; at < value.length; ) {
    const character = String.fromCodePoint(value.codePointAt(at) as number);
    const end = at + character.length;
    // By units, as positions are; a character may become several.
    for (const unit of plainUnit(character).split("")) {
      if (unit === " " && plain.at(-1) === " ") ends[ends.length - 1] = end;
      else {
        plain.push(unit);
        starts.push(at);
        ends.push(end);
      }
    }
    at = end;
  }
  return { plain: plain.join(""), starts, ends };
}
