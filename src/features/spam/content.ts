// Not imported by name: that fails with a SyntaxError on Node 18, before our message about the Node version.
import crypto from "node:crypto";
import type { Core } from "../../core/core.ts";
import { faultText } from "../../core/fault-text.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { withoutEcho } from "../../lib/echo.ts";
import { describe } from "../../lib/message.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { CheckedForm, CheckedSubmission, SpamCheck } from "../../model/spam-check.ts";
import { reasonText } from "../../model/spam-reasons.ts";
import type { Verdict } from "../../model/verdict.ts";
import { type Content, findingsOf, located, weighed } from "./findings.ts";
import { hasJudge, judged, saidIn } from "./judge.ts";
import { learnedModel } from "./learned/late.ts";
import { type Listed, listVerdicts } from "./lists.ts";
import { processMemoryOf } from "./process-memory.ts";

const REPEAT_WINDOW_MS = 10 * 60_000;
const MAX_REPEATS = 10;
/** Shorter posts repeat by themselves: votes, subscriptions, ticked boxes. */
const MIN_REPEATED = 60;

/** Input of the host's checks. They don't run for a submission that is already `known` to be spam. */
export interface Asked {
  /** Arguments of the host's checks, made only for them. */
  readonly about: () => Parameters<SpamCheck>;
  readonly known: boolean;
  /** True if the post is not to be stored, so it must not count as a repetition. */
  readonly isTrial: boolean;
  /** The finding about the page that sent the post, if there is one. */
  readonly session: Verdict | null;
}

/** The checks that need nothing but what is stored of a submission. */
export const REPEATABLE: ReadonlySet<string> = new Set([
  "allowed",
  "blocked_word",
  "blocked_sender",
  "blocked_ip",
  "blocked_country",
  "header_injection",
  "links",
  "phrases",
]);

/**
 * The verdicts of the form's lists, and then of the built-in checks of the text, weighed together with findings from `elsewhere`.
 * An allowed sender or address skips them all.
 */
export function textVerdicts(
  { spam: { protection }, settings }: FormRecord,
  post: Content & Listed,
  elsewhere: readonly Verdict[],
): Verdict[] {
  if (!protection) return [];
  const { allowed, blocked } = listVerdicts(settings.spam, post);
  if (allowed) return [allowed];
  const { threshold } = settings.spam;
  return [...blocked, ...weighed([...findingsOf(post, threshold), ...elsewhere], threshold)];
}

/** The verdicts of the form's lists, then of the built-in checks, and then of the host's, in their order. */
export async function contentVerdicts(
  core: Core,
  form: Stored<FormRecord>,
  post: Content & Listed,
  { about, known, session, isTrial }: Asked,
): Promise<Verdict[]> {
  const { protection } = form.value.spam;
  const found = protection
    ? [session, repeated(core, form.id, post, isTrial)].filter((verdict) => verdict !== null)
    : [];
  // A value that must not be stored gets no place: the place would reveal part of it.
  const verdicts = textVerdicts(form.value, post, found).map((one) => located(one, post.told));
  const decides = ({ spam, check }: Verdict): boolean => spam || check === "allowed";
  if (form.value.settings.spam.learn && protection && !known && !verdicts.some(decides))
    verdicts.push(...(await learned(core, form.value.team_id, post)));
  const isDecided = known || verdicts.some(decides);
  const { checks } = core.options.spam;
  if (isDecided || !protection || (checks.length === 0 && !hasJudge(core))) return verdicts;
  const [submission, facts] = about();
  const answers = await Promise.all(checks.map((check) => ask(core, check, submission, facts)));
  const all = [...verdicts, ...answers.filter((verdict) => verdict !== null)];
  const last = all.some(({ spam }) => spam) ? null : await judged(core, "posts", submission, facts);
  return last ? [...all, last] : all;
}

/** The verdict of the team's marks. Whatever goes wrong, the submission is not lost. */
async function learned(core: Core, team_id: string, { told }: Listed): Promise<Verdict[]> {
  try {
    const { learnedVerdict } = learnedModel.now() ?? (await learnedModel.load());
    const verdict = await learnedVerdict(core, team_id, told);
    return verdict ? [located(verdict, told)] : [];
  } catch (error) {
    core.options.logger.error(`what team ${team_id} has marked could not be asked: ${faultText(error)}`);
    return [];
  }
}

/** The same long text from any sender, more often than people write it. Each process counts its own share. */
function repeated(core: Core, formId: string, { fields }: Content, isTrial: boolean): Verdict | null {
  if (fields.reduce((sum, { value }) => sum + value.trim().length, 0) < MIN_REPEATED) return null;
  const now = core.clock.now();
  let content = formId;
  for (const { key, value } of fields) content += `\0${key}\0${value}`;
  const key = crypto.hash("sha256", content, "base64");
  const { posts } = processMemoryOf(core);
  const known = posts.get(key);
  const post = known && now < known.until ? known : { count: 0, until: now + REPEAT_WINDOW_MS };
  const count = post.count + 1;
  if (!isTrial) posts.set(key, { count, until: post.until });
  if (count <= MAX_REPEATS) return null;
  return { check: "repeated", spam: true, score: 0.8, reason: reasonText("repeated", count) };
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
    if (typeof spam !== "boolean") throw new TypeError("[form-backend] it must return { spam: boolean, … } or null");
    return {
      check: typeof label === "string" && label !== "" ? label.slice(0, 100) : name,
      spam,
      ...(typeof score === "number" && Number.isFinite(score) && { score }),
      ...(typeof reason === "string" && reason !== "" && { reason: reason.slice(0, 300).toWellFormed() }),
    };
  } catch (error) {
    core.options.logger.error(
      `the spam check "${name}" failed on form ${form.id}: ${withoutEcho(describe(error), saidIn(submission))}`,
    );
    return null;
  }
}
