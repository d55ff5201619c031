import { reasonText } from "../../model/spam-reasons.ts";
import type { Verdict } from "../../model/verdict.ts";

/** Nobody fills in a form faster. */
const MIN_AGE_MS = 1_000;
/** The header has about 60 characters. */
const MAX_LENGTH = 1_000;

/**
 * The verdict on what Formspree's client says of the page, base64 of `{ loadedAt, webdriver }`, at the time `now` in epoch ms. Null
 * where it says nothing of use: anyone can write the header, so it never speaks for a post.
 */
export function sessionVerdict(header: string | null | undefined, now: number): Verdict | null {
  if (!header || header.length > MAX_LENGTH) return null;
  const { loadedAt, webdriver } = decoded(header);
  const spam = { check: "session", spam: true } as const;
  if (webdriver === true) return { ...spam, score: 0.9, reason: reasonText("driven") };
  if (typeof loadedAt !== "number") return null;
  // The visitor's clock may be wrong: a page from the future, or from long ago, says nothing.
  const age = now - loadedAt;
  return age >= 0 && age < MIN_AGE_MS ? { ...spam, score: 0.6, reason: reasonText("quick", Math.round(age)) } : null;
}

function decoded(header: string): { readonly loadedAt?: unknown; readonly webdriver?: unknown } {
  try {
    return Object(JSON.parse(Buffer.from(header, "base64").toString("utf8")));
  } catch {
    return {};
  }
}
