import type { Pattern } from "../../lib/pattern.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import { type CheckedValue, checkedValue, type Judge } from "./checks.ts";

/**
 * The most that all checks of one post may cost, in units of about 30 ns: one instruction of a pattern on one character. Even
 * linear time blocks the host's event loop. One pattern is one turn of it, about 10 ms at worst; `.{n}` takes n instructions
 * and `.{0,n}` twice as many, so a value of the pattern's own length always fits.
 */
export const CHECK_BUDGET = { pattern: 300_000, submission: 1_000_000 } as const;
/** Characters that a check other than a pattern goes over in one unit. */
const CHARACTERS = 32;
/** A post that costs more than this waits for a turn of its own; otherwise thirty posts at once would all run in one turn. */
export const HEAVY = 20_000;

/** The values of a field that are not empty. */
export interface FieldValues {
  readonly values: readonly CheckedValue[];
  readonly characters: number;
}

export function fieldValuesOf(all: readonly string[]): FieldValues {
  const values = all.map(checkedValue).filter(({ trimmed }) => trimmed !== "");
  return { values, characters: values.reduce((sum, { text }) => sum + text.length, 0) };
}

/** The most that judging all values of a field can cost; null stands for a look at the whole field, which costs nothing. */
export function costOf(
  by: { readonly judge: Judge } | { readonly pattern: Pattern } | null,
  { values, characters }: FieldValues,
): number {
  if (by === null) return 0;
  return "pattern" in by ? by.pattern.cost * characters : values.length + Math.ceil(characters / CHARACTERS);
}

/** The values of a post by their field's name. */
export function valuesByName(fields: readonly SubmissionField[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { key, value } of fields) {
    const known = values.get(key);
    if (known) known.push(value);
    else values.set(key, [value]);
  }
  return values;
}
