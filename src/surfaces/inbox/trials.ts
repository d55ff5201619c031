import { parseInput } from "../../lib/input.ts";
import { HostFormPatch } from "../../model/form-input.ts";
import type { HostForm } from "../../model/forms.ts";
import type { RulesBacktest } from "../../model/rules.ts";
import type { SpamBacktestResult, WithoutCheck } from "../../model/spam-backtest.ts";
import type { HostSubmission } from "../../model/submissions.ts";
import { changesOf, postedOf } from "./settings/changes.ts";
import { leavesOf } from "./settings/leaves.ts";
import type { MemberRequest } from "./visit.ts";

/** Numbers of submissions to try settings on. */
export const amounts = ["100", "500", "2000"] as const;
/** Submissions that a result names. */
const SHOWN = 10;

/** Submissions that a trial concerns: the first few of them, and how many there are. */
export interface Named {
  readonly count: number;
  readonly some: readonly HostSubmission[];
}

/** Settings of spam tried on stored submissions. */
export interface SpamTrial {
  readonly result: SpamBacktestResult;
  readonly toSpam: Named;
  readonly toInbox: Named;
}

/** True if the host keeps values back: whoever tries a word or a pattern on them would find them out. */
export const isKeptBack = ({ redactor }: MemberRequest): boolean => redactor !== null;

/** Tries the spam settings of a page, or the stored ones without a page. Throws `invalid_parameter`, `scan_concurrency`. */
export async function spamTrial(
  visit: MemberRequest,
  form: HostForm,
  body: URLSearchParams | null,
): Promise<SpamTrial> {
  const params = { form_id: form.id };
  const asked = body?.get("trial.limit") ?? visit.query.get("limit");
  const limit = Number(amounts.find((one) => one === asked) ?? "500");
  const spam = body ? spamOf(visit, form, body) : undefined;
  const result = (await visit.call("backtestSpam", {
    params,
    body: { limit, ...(spam && { spam }) },
  })) as SpamBacktestResult;
  const [toSpam, toInbox] = await Promise.all([
    named(visit, form, result.changed.to_spam, result.false_positives),
    named(visit, form, result.changed.to_inbox, result.missed),
  ]);
  return { result, toSpam, toInbox };
}

/** The lists and the threshold of a page, as far as it changed them. */
function spamOf({ settings }: MemberRequest, form: HostForm, body: URLSearchParams) {
  const { posted } = changesOf(leavesOf("spam", settings.hide), form, body);
  return parseInput(HostFormPatch, posted).settings?.spam;
}

/** Counts what one check alone has held back. */
export async function trialWithout(
  visit: MemberRequest,
  form: HostForm,
  check: string,
): Promise<WithoutCheck & { named: Named }> {
  const found = await visit.call("countWithoutCheck", { params: { form_id: form.id }, body: { check } });
  return { ...found, named: await named(visit, form, found.through, found.ids) };
}

/** Tries the rules of a page. Throws `invalid_parameter`, `scan_concurrency`. */
export async function rulesTrial(
  visit: MemberRequest,
  form: HostForm,
  body: URLSearchParams,
): Promise<RulesBacktest & { named: Named }> {
  const patch = postedOf(visit, form, "validation", body);
  const result = await visit.call("tryRules", { params: { form_id: form.id }, body: { patch } });
  return { ...result, named: await named(visit, form, result.refused, result.ids) };
}

/** The first of these submissions, as this person may see them. One that was deleted meanwhile is left out. */
async function named(
  visit: MemberRequest,
  { id: form_id }: HostForm,
  count: number,
  ids: readonly string[],
): Promise<Named> {
  const read = ids.slice(0, SHOWN).map(async (submission_id) => {
    try {
      return (await visit.call("retrieveSubmission", { params: { form_id, submission_id } })) as HostSubmission;
    } catch {
      return null;
    }
  });
  return { count, some: (await Promise.all(read)).filter((one) => one !== null) };
}
