import { ApiError } from "../../errors.ts";
import type { HostForm } from "../../model/forms.ts";
import { personOf } from "../../model/keys.ts";
import { SubmissionMatchQuery } from "../../model/submission-bulk.ts";
import { SubmissionCountQuery } from "../../model/submission-queries.ts";
import type { SubmissionBulk } from "../../model/submissions.ts";
import { queryOf } from "../api/query.ts";
import { type Act, bodyOf } from "./bulk-actions.ts";
import type { Answers, MemberRequest } from "./visit.ts";

/** Time that one request may work before it reports its progress. */
const STEP_MS = 2_000;

/** An act on some submissions. */
export interface Deed {
  readonly act: Act;
  readonly ids: readonly string[];
  /** Those that were snoozed before the act that this one takes back, with the time of their return. */
  readonly snoozed?: ReadonlyMap<string, string> | undefined;
  /** True where it takes back what the person did: what somebody else has done since stays. */
  readonly isUndo?: boolean | undefined;
}

/** Does something to submissions of one form; returns how many it changed. What was snoozed is so again, if its time has not come. */
export async function change(visit: MemberRequest, form_id: string, deed: Deed): Promise<number> {
  const { act, ids, snoozed, isUndo } = deed;
  const now = visit.core.clock.now();
  const times = new Map<string | undefined, string[]>();
  for (const id of isUndo ? await stillOwn(visit, form_id, act, ids) : ids) {
    const time = snoozed?.get(id);
    times.set(time, [...(times.get(time) ?? []), id]);
  }
  let all = 0;
  for (const [snoozed_until, own] of times) {
    const again =
      Date.parse(snoozed_until ?? "") > now ? { action: "snooze", snoozed_until } : ({ action: "reopen" } as const);
    const body = { ...(snoozed_until === undefined ? bodyOf(act) : again), ids: own };
    all += (await visit.call("bulkSubmissions", { params: { form_id }, body })).changed;
  }
  return all;
}

/** Submissions that are looked at together. */
const AT_ONCE = 8;
/** Lines of what was done, and acts, that concern the same of a submission. */
const ALIKE: readonly (readonly string[])[] = [
  ["assign"],
  ["label", "unlabel"],
  ["snooze", "unsnooze", "done", "reopen"],
  ["mark_spam", "mark_not_spam"],
  ["trash", "delete", "restore"],
];

/** Those of these submissions with which nobody else has done the like since the person did. `label`: the one that it is about. */
export async function stillOwn(
  visit: MemberRequest,
  form_id: string,
  act: string,
  ids: readonly string[],
  label?: string | null,
): Promise<readonly string[]> {
  const alike = ALIKE.find((names) => names.includes(act));
  if (!alike) return ids;
  const { id: own } = personOf(visit.member.caller);
  const isOwn = async (id: string): Promise<boolean> => {
    const all = (await visit.call("listActivities", { params: { form_id }, body: { id } }).catch(unreached)) || [];
    // The end of a snooze is nobody's.
    const done = all.filter(
      ({ what, text, author }) => author.id !== "" && alike.includes(what) && text === (label ?? text),
    );
    const last = done.at(-1)?.created_at;
    return !last || done.some(({ author, created_at }) => author.id === own && created_at === last);
  };
  const kept: string[] = [];
  // A few at a time: posts need connections too.
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE);
    const own = await Promise.all(some.map(isOwn));
    kept.push(...some.filter((_, n) => own[n]));
  }
  return kept;
}

/** Does something to submissions of a form; returns how many it changed. */
export async function changeSome(visit: MemberRequest, form: HostForm, deed: Deed): Promise<number> {
  const { act, ids } = deed;
  const changed = await change(visit, form.id, deed);
  if (changed > 0) visit.note(act, { team_id: form.team_id, form_id: form.id, ids });
  return changed;
}

/** Does something to submissions of any form; those of forms that the person can't reach are left alone. Returns the number of changes. */
export async function changeEverywhere(visit: MemberRequest, deed: Deed): Promise<number> {
  const { act, ids } = deed;
  let all = 0;
  for (const { form_id, team_id, ids: own } of await byForm(visit, ids, act === "restore" ? act : undefined)) {
    const changed = (await change(visit, form_id, { ...deed, ids: own }).catch(unreached)) || 0;
    if (changed > 0) visit.note(act, { team_id, form_id, ids: own });
    all += changed;
  }
  return all;
}

/** Those of these submissions that are of the form. */
export const idsOf = async (
  visit: MemberRequest,
  form_id: string,
  ids: readonly string[],
): Promise<readonly string[]> => (await byForm(visit, ids)).find((one) => one.form_id === form_id)?.ids ?? [];

/** Those of these submissions that an act would change: taking it back concerns no other. */
export const changing = async (visit: MemberRequest, act: Act, ids: readonly string[]): Promise<OfForm[]> =>
  byForm(visit, ids, bodyOf(act).action);

/** True where one of these forms has no trash, so that what is deleted is gone. */
export async function deletesForGood(visit: MemberRequest, form_ids: readonly string[]): Promise<boolean> {
  const days = await Promise.all(form_ids.map((form_id) => visit.call("trashDaysOf", { params: { form_id } })));
  return days.includes(0);
}

type OfForm = Answers["groupByForm"][number];

/** Those of these submissions that the person reaches: what a question says of others would tell of them. */
export const byForm = (
  visit: MemberRequest,
  ids: readonly string[],
  action?: SubmissionBulk["action"],
): Promise<OfForm[]> => visit.call("groupByForm", { body: { ids: [...ids], ...(action && { action }) } });

/** False for a form that was deleted meanwhile; throws any other error. */
function unreached(error: unknown): false {
  if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return false;
  throw error;
}

/** The number of submissions that match a filter; not exact if counting took too long. */
export async function matching(visit: MemberRequest, form_id: string, filter: URLSearchParams) {
  const query = queryOf(filter, SubmissionCountQuery);
  const { count, exact } = await visit.call("countSubmissions", { params: { form_id }, query });
  return { number: count, exact };
}

/**
 * Changes all matching submissions, newest first, for as long as a request may take. Later submissions are not changed. Returns
 * the number of changes, and the cursor of the remaining ones; null at the end.
 */
export async function changeAll(
  visit: MemberRequest,
  form: HostForm,
  act: Act,
  filter: URLSearchParams,
  from: string | undefined,
): Promise<{ changed: number; cursor: string | null }> {
  const until = performance.now() + STEP_MS;
  const params = { form_id: form.id };
  const query = queryOf(filter, SubmissionMatchQuery);
  let changed = 0;
  let cursor: string | null = from ?? null;
  do {
    const body = { ...bodyOf(act), ...(cursor !== null && { cursor }) };
    const step = await visit.call("bulkMatchingSubmissions", { params, query, body });
    changed += step.changed;
    cursor = step.next_cursor;
  } while (cursor !== null && performance.now() < until);
  if (changed > 0) visit.note(act, { team_id: form.team_id, form_id: form.id, ids: [] });
  return { changed, cursor };
}
