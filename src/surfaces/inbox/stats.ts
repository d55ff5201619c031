import { ApiError } from "../../errors.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { bucketEdges } from "../../model/buckets.ts";
import { isProtected } from "../../model/field-policy.ts";
import type { HostForm } from "../../model/forms.ts";
import type { Statistics } from "../../model/statistics.ts";
import type { HostSubmissionList, SubmissionCount } from "../../model/submissions.ts";
import type { MemberRequest } from "./visit.ts";

export const intervals = ["day", "week", "month"] as const;
export type StatsInterval = (typeof intervals)[number];

/** Spam whose reasons are counted: each has to be read, so not all of a million. */
const SPAM_READ = 100;
/** Names to choose from. */
const MOST_NAMES = 100;

/** A part of a whole, largest first. */
export interface Share {
  readonly key: string;
  readonly count: number;
}

/** Shares of submissions; without `exact`, counting took too long and the numbers are the least. */
export interface Shares {
  readonly groups: readonly Share[];
  readonly other: number;
  readonly exact: boolean;
}

/** The numbers of a page of statistics. */
export interface Stats {
  /** Null if there are too many submissions to count at once. */
  readonly counted: Statistics | null;
  /** Posts since the form was created, spam included. */
  readonly allTime: number;
  readonly reasons: { readonly shares: readonly Share[]; readonly of: number };
  readonly countries: Shares;
  /** Names of fields to choose from, most used first. */
  readonly names: readonly string[];
  /** Null without a chosen field. */
  readonly values: Shares | null;
  /** Shares of a member of the source; null for a form that keeps none. */
  readonly sources: Shares | null;
}

/** Members of the source that can be counted by, the usual ones first. */
export const sourceMembers = [
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
  "referrer",
  "landing_page",
] as const;

/** The member of the address. */
export const sourceMemberOf = ({ query }: MemberRequest): string =>
  sourceMembers.find((known) => known === query.get("source")) ?? sourceMembers[0];

/** The interval of the address. */
export const intervalOf = ({ query }: MemberRequest): StatsInterval =>
  intervals.find((known) => known === query.get("interval")) ?? "day";

/** The numbers of a form. Throws `invalid_parameter` for a field that nobody may look into, `scan_concurrency`. */
export async function statsOf(visit: MemberRequest, form: HostForm, by: string | null): Promise<Stats> {
  const { redactor } = visit;
  if (by !== null && redactor?.keeps(by)) {
    throw new ApiError("invalid_parameter", { param: "by", message: "`by` names a field that this inbox keeps back." });
  }
  const params = { form_id: form.id };
  const counted = await countedOf(visit, form);
  const first = counted?.data[0]?.start;
  const since = first === undefined ? {} : { created_after: first };
  const shares = async (group_by: string): Promise<Shares> => {
    const answer = (await visit.call("countSubmissions", { params, query: { ...since, group_by } })) as SubmissionCount;
    return { groups: answer.groups ?? [], other: answer.other ?? 0, exact: answer.exact };
  };
  const [overview, reasons, countries, names, values, sources] = await Promise.all([
    visit.call("overviewForm", { params, body: { days: 0 } }),
    reasonsOf(visit, form, since),
    shares("country"),
    namesOf(visit, form),
    by === null ? null : shares(`field:${by}`),
    form.settings.source.enabled ? shares(`source:${sourceMemberOf(visit)}`) : null,
  ]);
  return { counted, allTime: overview?.submissions.all_time ?? 0, reasons, countries, names, values, sources };
}

/** The start of the first whole bucket that is shown. */
function beginOf({ core, timeZone }: MemberRequest, interval: StatsInterval): number {
  const to = core.clock.now();
  const middle = new Date(to);
  middle.setUTCDate(15);
  middle.setUTCMonth(middle.getUTCMonth() - 11);
  const from = { day: to - 29 * DAY_MS, week: to - 25 * 7 * DAY_MS, month: middle.getTime() }[interval];
  return bucketEdges({ from, to }, interval, timeZone, 40)?.[0] ?? from;
}

async function countedOf(visit: MemberRequest, { id }: HostForm): Promise<Statistics | null> {
  const interval = intervalOf(visit);
  const query = { interval, time_zone: visit.timeZone, from: iso(beginOf(visit, interval)) };
  try {
    return await visit.call("retrieveStatistics", { params: { form_id: id }, query });
  } catch (error) {
    if (error instanceof ApiError && error.code === "invalid_parameter") return null;
    throw error;
  }
}

/** The checks that found the latest spam; the key of what somebody moved there by hand is empty. */
async function reasonsOf(visit: MemberRequest, { id }: HostForm, since: object): Promise<Stats["reasons"]> {
  const query = { ...since, status: "spam", limit: String(SPAM_READ) };
  const { data } = (await visit.call("listSubmissions", { params: { form_id: id }, query })) as HostSubmissionList;
  const found = new Map<string, number>();
  for (const { verdict } of data) {
    const checks = new Set(verdict.filter(({ spam }) => spam).map(({ check }) => check));
    for (const check of checks.size > 0 ? checks : [""]) found.set(check, (found.get(check) ?? 0) + 1);
  }
  const shares = Array.from(found, ([key, count]) => ({ key, count })).sort((a, b) => b.count - a.count);
  return { shares, of: data.length };
}

/** The fields that came lately, without those that are encrypted or kept back. */
async function namesOf(visit: MemberRequest, { id, settings }: HostForm): Promise<string[]> {
  const { data } = await visit.call("listFields", { params: { form_id: id } });
  return data
    .map(({ name }) => name)
    .filter((name) => !isProtected(settings.fields, name) && !visit.redactor?.keeps(name))
    .slice(0, MOST_NAMES);
}
