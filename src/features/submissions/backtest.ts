import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import type { Row } from "../../core/rows.ts";
import { mergeLeaves } from "../../lib/merge.ts";
import { inSlices } from "../../lib/turn.ts";
import { unprotected } from "../../model/field-policy.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Caller } from "../../model/keys.ts";
import type { SpamBacktest, SpamBacktestResult } from "../../model/spam-backtest.ts";
import type { SpamSettings } from "../../model/spam-settings.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { Verdict } from "../../model/verdict.ts";
import { endpointOf } from "../forms/view.ts";
import { submitterOf } from "../jobs/plan.ts";
import { shownTo } from "../privacy/shown.ts";
import { REPEATABLE, textVerdicts } from "../spam/content.ts";
import { hasJudge, judged } from "../spam/judge.ts";

const MAX_IDS = 100;

/**
 * Tries spam settings on the newest submissions of a form, and compares with their marks in the store. Changes nothing. Throws
 * `invalid_parameter`, `scan_concurrency`.
 */
export async function backtestSpam(
  core: Core,
  caller: Caller,
  form: Row<"forms">,
  { spam: patch, limit, created_after, judge }: SpamBacktest,
): Promise<SpamBacktestResult> {
  const current = form.value.settings.spam;
  const settings = patch === undefined ? current : (mergeLeaves(current, patch) as SpamSettings);
  const tried = { ...form.value, settings: { ...form.value.settings, spam: settings } };
  const release = takeScan(core, caller, "filtered");
  try {
    const tally = newTally();
    let judgements = 0;
    const pause = inSlices();
    const newest = core.rows.walk("submissions", {
      index: "form",
      equals: { form_id: form.id },
      order: "desc",
      most: limit,
      through: readerOf(core, caller),
      ...(created_after !== undefined && { where: [{ column: "created_at", op: "gte", value: created_after }] }),
    });
    for await (const rows of newest) {
      for (const row of rows) {
        // An agent that tries a word must not learn if a field that it can't see holds it.
        const [seen = row] = await shownTo(core, caller, [row]);
        const checks = checksOf(tried, seen.value);
        const asked =
          judge && isUndecided(tried, seen.value, checks) ? await judgedAgain(core, form, seen.value) : null;
        if (asked) judgements++;
        tally.add(row.id, row.value, asked?.spam ? [...checks, asked.check] : checks);
        await pause();
      }
    }
    const result = tally.result(core.options.spam.checks.length > 0);
    // A check that has learned from these very submissions would prove itself right.
    const learned = settings.learn ? ["learned"] : [];
    const unavailable = [...result.unavailable, ...learned, ...(hasJudge(core) && !judge ? ["judge"] : [])];
    return { ...result, ...(judge && { judged: judgements }), unavailable };
  } finally {
    release();
  }
}

/** True where a post like this would be put to the judge. */
function isUndecided(form: FormRecord, submission: SubmissionRecord, checks: readonly string[]): boolean {
  return (
    form.spam.protection && checks.length === 0 && !textOf(form, submission).some(({ check }) => check === "allowed")
  );
}

/** The judge's answer about a stored submission; it gets no value that must not be stored. */
function judgedAgain(core: Core, form: Row<"forms">, submission: SubmissionRecord): Promise<Verdict | null> {
  const { team_id, name, folder_id, created_at } = form.value;
  const { ip, country, user_agent, referer, fields } = submission;
  const told = unprotected(form.value.settings.fields, fields);
  const about = {
    form_id: form.id,
    created_at: submission.created_at,
    ip,
    country,
    user_agent,
    referer,
    fields: [...told],
  };
  const facts = { id: form.id, team_id, name, folder_id, created_at, endpoint: endpointOf(core, form.id) };
  return judged(core, "backtest", about, facts);
}

/** The verdicts of the checks that need nothing but what is stored. */
function textOf(form: FormRecord, submission: SubmissionRecord): Verdict[] {
  const { fields, subject, reply_to, ip, country } = submission;
  const headers = [subject, reply_to].filter((value) => value !== null);
  return textVerdicts(form, { fields, headers, sender: submitterOf(submission), ip, country, told: fields }, []);
}

/** The checks that take a submission for spam: those of its text under these settings, and the stored results of all others. */
function checksOf(form: FormRecord, submission: SubmissionRecord): string[] {
  const { verdict } = submission;
  const found = textOf(form, submission);
  const isAllowed = found.some(({ check }) => check === "allowed");
  const stored = verdict.filter(
    ({ check }) => !REPEATABLE.has(check) && !(isAllowed && (check === "repeated" || check === "session")),
  );
  return [...stored, ...found].filter(({ spam }) => spam).map(({ check }) => check);
}

function newTally() {
  const byCheck = new Map<string, number>();
  const missed: string[] = [];
  const wrong: string[] = [];
  let checked = 0;
  let caught = 0;
  return {
    add(id: string, { spam }: SubmissionRecord, checks: readonly string[]): void {
      checked++;
      for (const check of new Set(checks)) byCheck.set(check, (byCheck.get(check) ?? 0) + 1);
      if (checks.length > 0) caught++;
      if (checks.length > 0 && !spam) wrong.push(id);
      if (checks.length === 0 && spam) missed.push(id);
    },
    result: (hasOwnChecks: boolean): SpamBacktestResult => ({
      checked,
      caught,
      missed: missed.slice(0, MAX_IDS),
      false_positives: wrong.slice(0, MAX_IDS),
      changed: { to_spam: wrong.length, to_inbox: missed.length },
      by_check: Array.from(byCheck, ([check, count]) => ({ check, caught: count })).sort(
        (a, b) => b.caught - a.caught || (a.check < b.check ? -1 : 1),
      ),
      unavailable: ["honeypot", "token", "captcha", "session", "repeated", ...(hasOwnChecks ? ["custom"] : [])],
    }),
  };
}
