import { z } from "zod";
import type { SubmissionField } from "./submission-field.ts";

const MAX_MEMBERS = 20;
const MAX_VALUE = 500;
/** Characters of a text that is read at all: the members that are kept, escaped, fit into it. */
const MAX_TEXT = 64 * 1024;

/** The names that the origin of a visit may have. */
const NAME = /^(utm_[a-z0-9_]{1,60}|gclid|fbclid|msclkid|landing_page|referrer)$/;

/** The field of a post that carries it. */
export const SOURCE_FIELD = "_source";

/** Where a visitor came from, by name. */
export const Source = z.record(z.string(), z.string());
export type Source = z.infer<typeof Source>;

/** Whether a form keeps where its visitors came from. */
export const SourceSetting = z
  .object({
    enabled: z
      .boolean()
      .describe(
        "Keeps what the browser script sends as `_source`: campaign (`utm_*`), click ids, first page and referrer.",
      ),
  })
  .describe("Where visitors came from.");

/** True for a name that a source may have. */
export const isSourceName = (name: string): boolean => NAME.test(name);

/**
 * The members of a sent source, in the order they came. A page may send anything here, and no post is refused for it: what is no
 * JSON object of texts, has another name or is too long is left out.
 */
export function sourceOf(sent: string | undefined): SubmissionField[] {
  if (!sent || sent.length > MAX_TEXT) return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(sent);
  } catch {
    return [];
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return [];
  return Object.entries(parsed)
    .filter(
      (entry): entry is [string, string] =>
        NAME.test(entry[0]) && typeof entry[1] === "string" && entry[1] !== "" && entry[1].length <= MAX_VALUE,
    )
    .slice(0, MAX_MEMBERS)
    .map(([key, value]) => ({ key, value: value.replaceAll("\0", "\uFFFD").toWellFormed() }));
}

/** A stored source, as answers have it. */
export const shownSource = (stored: readonly SubmissionField[]): Source =>
  Object.fromEntries(stored.map(({ key, value }) => [key, value]));
