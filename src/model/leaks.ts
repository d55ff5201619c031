import { type FieldPolicies, protectedOf } from "./field-policy.ts";
import type { SubmissionField } from "./submission-field.ts";

/** A value of fewer characters is in nearly every text by chance, so it counts only between others than letters and digits. */
const TELLING = 3;

/**
 * Checks texts of a post that are stored besides its fields, such as the subject: returns true if one contains a value that
 * must not be stored. Null if the form protects nothing.
 */
export function leaksValue(
  policies: FieldPolicies,
  posted: readonly SubmissionField[],
): ((text: string) => boolean) | null {
  return leakFinder(protectedOf(policies, posted));
}

const wordsOf = (text: string): readonly string[] => text.split(/[^\p{L}\p{N}]+/u);

/** Returns true for a text that contains one of these values, percent-encoded or not. Null if all are empty. */
export function leakFinder(secret: readonly SubmissionField[]): ((text: string) => boolean) | null {
  const values = secret.map(({ value }) => value.trim().toLowerCase()).filter((value) => value !== "");
  if (values.length === 0) return null;
  const long = values.filter((value) => value.length >= TELLING);
  const few = values.filter((value) => value.length < TELLING);
  const short = few.flatMap((value) => wordsOf(value).filter(Boolean));
  return (text) => {
    const folded = [text, decoded(text)].map((one) => one.toLowerCase());
    if (long.some((value) => folded.some((one) => one.includes(value)))) return true;
    // Also one without letters and digits.
    if (few.some((value) => folded.some((one) => one.trim() === value))) return true;
    if (short.length === 0) return false;
    const words = new Set(folded.flatMap(wordsOf));
    return short.some((word) => words.has(word));
  };
}

/** Decodes what can be decoded: one wrong percent sign in a URL must not hide the rest. */
const decoded = (text: string): string =>
  text
    .replaceAll("+", " ")
    .replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8"));
