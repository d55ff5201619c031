import { reasonText } from "../../model/spam-reasons.ts";
import type { SpamSettings } from "../../model/spam-settings.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import type { Verdict, VerdictPlace } from "../../model/verdict.ts";
import { knownPhrases } from "./phrases.ts";
import { patternPlaces, phrasePlaces } from "./places.ts";

type Threshold = SpamSettings["threshold"];

/** More text than this tells no more, and every post is read on the host's event loop. */
const MAX_TEXT = 20_000;

/** What the checks of the text look at. */
export interface Content {
  readonly fields: readonly SubmissionField[];
  /** `_subject` and `_replyto`, which become headers of an email. */
  readonly headers: readonly string[];
}

/** The findings of the built-in checks in the text of a submission, without memory of other submissions. */
export function findingsOf(content: Content, threshold: Threshold): Verdict[] {
  const text = textOf(content.fields);
  return [headerInjection(content), links(content, text, threshold), phrases(text, threshold)].filter(
    (verdict) => verdict !== null,
  );
}

/** The score that the findings together need: 1 is one that leaves no doubt, or two others. */
const NEEDED: Readonly<Record<Threshold, number>> = { low: 1, normal: 0, high: 0 };

/** The findings as verdicts: below the threshold they stay visible, but don't count. */
export function weighed(findings: readonly Verdict[], threshold: Threshold): Verdict[] {
  const score = findings.reduce((sum, finding) => sum + (finding.score ?? 1), 0);
  return score >= NEEDED[threshold] ? [...findings] : findings.map((finding) => ({ ...finding, spam: false }));
}

// Names whose values end up in a header of an email; a line break in any of them is an attempt to add another header.
const HEADER_NAME = /^(e-?mail|mail|(first|last|full)?[-_ ]?name|subject|reply-?to|from)$/i;
const INJECTED =
  /(?:[\r\n]|%0[ad])[ \t]*(?:to|cc|bcc|from|reply-to|subject|content-type|mime-version|x-[\w-]{1,50})[ \t]*:/i;
const INJECTED_ANYWHERE = /(?:[\r\n]|%0[ad])[ \t]*(?:bcc|mime-version)[ \t]*:/i;

function headerInjection({ fields, headers }: Content): Verdict | null {
  const tried =
    headers.some((value) => INJECTED.test(value)) ||
    fields.some(({ key, value }) => (HEADER_NAME.test(key) ? INJECTED : INJECTED_ANYWHERE).test(head(value)));
  return tried ? { check: "header_injection", spam: true, score: 1 } : null;
}

const URL_START = String.raw`https?:\/\/|\bwww\.`;
const ANCHOR = String.raw`<a\s`;
const BB = String.raw`\[(?:url|link)=`;
const LINK = new RegExp(`${URL_START}|${ANCHOR}[^>]{0,200}href`, "gi");
const BBCODE = new RegExp(BB, "i");
/** Every match of `LINK` and `BBCODE` begins with a match of this. */
const START_OF_LINK = new RegExp(`${URL_START}|${ANCHOR}|${BB}`, "i");

/** Text that is mostly links. A value that is a single URL is an answer to a question and does not count. */
function links({ fields }: Content, whole: string, threshold: Threshold): Verdict | null {
  // Nearly every post has no link, which one search shows. A text that was cut may have links behind its end.
  if (whole.length < MAX_TEXT && !START_OF_LINK.test(whole)) return null;
  const text = textOf(fields.filter((field) => !isOneWord(field)));
  if (BBCODE.test(text)) return { check: "links", spam: true, score: 1, reason: reasonText("forumMarkup") };
  const count = text.match(LINK)?.length ?? 0;
  if (count < (threshold === "high" ? 2 : 3)) return null;
  const words = text.match(/[\p{L}\p{N}]+(?:['’.:/-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
  const dense = words < count * 10;
  return dense || count >= 15
    ? { check: "links", spam: true, score: 0.9, reason: reasonText("manyLinks", count) }
    : null;
}

const isOneWord = ({ value }: SubmissionField): boolean => /^\s*\S+\s*$/.test(head(value));

function phrases(text: string, threshold: Threshold): Verdict | null {
  const found = knownPhrases(text, threshold === "high" ? 1 : 2);
  return found ? { check: "phrases", spam: true, score: 0.9, reason: found } : null;
}

/** The verdict, with the places in the text that it refers to, if any. */
export function located(verdict: Verdict, fields: readonly SubmissionField[]): Verdict {
  const at = placesFor[verdict.check]?.(fields, verdict.reason ?? "") ?? [];
  return at.length > 0 ? { ...verdict, at } : verdict;
}

const LINK_TEXT = new RegExp(`(?:${LINK.source}|${BB})[^\\s<>\\]]*`, "gi");
const everywhere = (pattern: RegExp): RegExp => new RegExp(pattern, "gi");

const placesFor: Readonly<Record<string, (fields: readonly SubmissionField[], reason: string) => VerdictPlace[]>> = {
  header_injection: (fields) =>
    patternPlaces(fields, ({ key }) => everywhere(HEADER_NAME.test(key) ? INJECTED : INJECTED_ANYWHERE)),
  links: (fields) => patternPlaces(fields, (field) => (isOneWord(field) ? null : LINK_TEXT)),
  phrases: namedPlaces,
  blocked_word: namedPlaces,
  learned: namedPlaces,
};

/** A reason that names no phrase has no place. */
function namedPlaces(fields: readonly SubmissionField[], reason: string): VerdictPlace[] {
  return phrasePlaces(
    fields,
    reason.split(", ").filter((phrase) => phrase !== ""),
  );
}

const head = (value: string): string => value.slice(0, MAX_TEXT);

export function textOf(fields: readonly SubmissionField[]): string {
  let text = "";
  for (const { value } of fields) {
    if (text.length >= MAX_TEXT) break;
    text += `${value}\n`;
  }
  return head(text);
}
