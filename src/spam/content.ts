// Not imported by name: that fails with a SyntaxError on Node 18, before our message about the Node version.
import crypto from "node:crypto";
import type { Core } from "../core/core.ts";
import { describe } from "../lib/message.ts";
import type { CheckedForm, CheckedSubmission, SpamCheck } from "../model/spam-check.ts";
import type { SubmissionField } from "../model/submissions.ts";
import type { Verdict, VerdictPlace } from "../model/verdict.ts";
import { knownPhrases } from "./phrases.ts";
import { patternPlaces, phrasePlaces } from "./places.ts";
import { recallOf } from "./recall.ts";

/** More text than this tells no more, and every post is read on the host's event loop. */
const MAX_TEXT = 20_000;
const REPEAT_WINDOW_MS = 10 * 60_000;
const MAX_REPEATS = 10;
/** Shorter posts repeat by themselves: votes, subscriptions, ticked boxes. */
const MIN_REPEATED = 60;

export interface Content {
  readonly fields: readonly SubmissionField[];
  /** `_subject` and `_replyto`, which become headers of an email. */
  readonly headers: readonly string[];
}

/** Input of the host's checks. They don't run for a submission that is already `known` to be spam. */
export interface Asked {
  /** Arguments of the host's checks, made only for them. */
  readonly about: () => Parameters<SpamCheck>;
  /** The fields that may be stored. */
  readonly fields: readonly SubmissionField[];
  readonly known: boolean;
}

/** The verdicts of the built-in checks about a submission, and then of the host's, in their order. */
export async function contentVerdicts(
  core: Core,
  formId: string,
  content: Content,
  { about, fields, known }: Asked,
): Promise<Verdict[]> {
  const found = [headerInjection(content), links(content), phrases(content), repeated(core, formId, content)];
  // A value that must not be stored gets no place: the place would reveal part of it.
  const verdicts = found.filter((verdict) => verdict !== null).map((verdict) => located(verdict, fields));
  const { checks } = core.options.spam;
  if (known || verdicts.length > 0 || checks.length === 0) return verdicts;
  const [submission, form] = about();
  const answers = await Promise.all(checks.map((check) => ask(core, check, submission, form)));
  return answers.filter((verdict) => verdict !== null);
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

const LINK = /https?:\/\/|\bwww\.|<a\s[^>]{0,200}href/gi;
const BBCODE = /\[(?:url|link)=/i;

/** Text that is mostly links. A value that is a single URL is an answer to a question and does not count. */
function links({ fields }: Content): Verdict | null {
  const text = textOf(fields.filter((field) => !isOneWord(field)));
  if (BBCODE.test(text)) return { check: "links", spam: true, score: 1, reason: "markup of a forum" };
  const count = text.match(LINK)?.length ?? 0;
  if (count < 3) return null;
  const words = text.match(/[\p{L}\p{N}]+(?:['’.:/-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
  const dense = words < count * 10;
  return dense || count >= 15 ? { check: "links", spam: true, score: 0.9, reason: `${count} links` } : null;
}

const isOneWord = ({ value }: SubmissionField): boolean => /^\s*\S+\s*$/.test(head(value));

function phrases({ fields }: Content): Verdict | null {
  const found = knownPhrases(textOf(fields));
  return found ? { check: "phrases", spam: true, score: 0.9, reason: found } : null;
}

/** The same long text from any sender, more often than people write it. Each process counts its own share. */
function repeated(core: Core, formId: string, { fields }: Content): Verdict | null {
  if (fields.reduce((sum, { value }) => sum + value.trim().length, 0) < MIN_REPEATED) return null;
  const now = core.clock.now();
  let content = formId;
  for (const { key, value } of fields) content += `\0${key}\0${value}`;
  const key = crypto.hash("sha256", content, "base64");
  const known = recallOf(core).posts.get(key);
  const post = known && now < known.until ? known : { count: 0, until: now + REPEAT_WINDOW_MS };
  post.count++;
  recallOf(core).posts.set(key, post);
  if (post.count <= MAX_REPEATS) return null;
  return { check: "repeated", spam: true, score: 0.8, reason: `${post.count} times in 10 minutes` };
}

/** One check of the host's. Whatever it does, the submission is not lost. */
async function ask(
  core: Core,
  check: SpamCheck,
  submission: CheckedSubmission,
  form: CheckedForm,
): Promise<Verdict | null> {
  const name = check.name || "custom";
  try {
    const said: unknown = await check(submission, form);
    if (said === null || said === undefined) return null;
    const { spam, check: label, score, reason } = said as Record<string, unknown>;
    if (typeof spam !== "boolean") throw new TypeError("it must return { spam: boolean, … } or null");
    return {
      check: typeof label === "string" && label !== "" ? label.slice(0, 100) : name,
      spam,
      ...(typeof score === "number" && Number.isFinite(score) && { score }),
      ...(typeof reason === "string" && reason !== "" && { reason: reason.slice(0, 300).toWellFormed() }),
    };
  } catch (error) {
    core.options.logger.error(`the spam check "${name}" failed on form ${form.id}: ${describe(error)}`);
    return null;
  }
}

/** The verdict, with the places in the text that it refers to, if any. */
function located(verdict: Verdict, fields: readonly SubmissionField[]): Verdict {
  const at = placesFor[verdict.check]?.(fields, verdict.reason ?? "") ?? [];
  return at.length > 0 ? { ...verdict, at } : verdict;
}

const LINK_TEXT = /(?:https?:\/\/|\bwww\.|<a\s[^>]{0,200}href|\[(?:url|link)=)[^\s<>\]]*/gi;
const everywhere = (pattern: RegExp): RegExp => new RegExp(pattern, "gi");

const placesFor: Readonly<Record<string, (fields: readonly SubmissionField[], reason: string) => VerdictPlace[]>> = {
  header_injection: (fields) =>
    patternPlaces(fields, ({ key }) => everywhere(HEADER_NAME.test(key) ? INJECTED : INJECTED_ANYWHERE)),
  links: (fields) => patternPlaces(fields, (field) => (isOneWord(field) ? null : LINK_TEXT)),
  phrases: (fields, reason) => phrasePlaces(fields, reason.split(", ")),
};

const head = (value: string): string => value.slice(0, MAX_TEXT);

function textOf(fields: readonly SubmissionField[]): string {
  let text = "";
  for (const { value } of fields) {
    if (text.length >= MAX_TEXT) break;
    text += `${value}\n`;
  }
  return head(text);
}
