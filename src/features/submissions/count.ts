import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import type { CountQuery } from "../../drivers/storage/types.ts";
import { DAY_MS } from "../../lib/clock.ts";
import type { Caller } from "../../model/keys.ts";
import type { SubmissionCountQuery } from "../../model/submission-queries.ts";
import type { SubmissionCount } from "../../model/submissions.ts";
import { largestOf } from "./largest.ts";
import { assertSearchable } from "./protected-fields.ts";
import { partitionOf, selectionOf } from "./query.ts";
import { returnSnoozedOf } from "./snooze.ts";
import { readerFor } from "./work-reader.ts";

const BUDGET_MS = 5_000;
const MAX_GROUPS = 20;

/**
 * The number of matching submissions, grouped if requested: the 20 largest groups and, as `other`, the rest, which includes
 * submissions without the group's field. After 5 s it returns its result so far, with `exact: false`. The caller reaches the
 * form. Throws `invalid_parameter`, `scan_concurrency`.
 */
export async function countSubmissions(
  core: Core,
  caller: Caller,
  formId: string,
  query: SubmissionCountQuery,
): Promise<SubmissionCount> {
  if (query.state !== undefined) await returnSnoozedOf(core, caller, formId);
  const selection = selectionOf(query, caller);
  const { collection, where, named, everywhere, filtered } = selection;
  const { group_by } = query;
  const grouped = group_by?.startsWith("field:") ? [{ name: group_by.slice("field:".length), param: "group_by" }] : [];
  await assertSearchable(core, caller, [formId], { named: [...named, ...grouped], everywhere });
  const release = takeScan(core, caller, filtered ? "filtered" : "long");
  try {
    const found = await readerFor(readerOf(core, caller), selection).count(collection, {
      ...partitionOf("form", formId, selection),
      where,
      groupBy: query.group_by === undefined ? undefined : groupOf(query.group_by),
      budgetMs: BUDGET_MS,
    });
    const { count, exact } = found;
    if (query.group_by === undefined) return { count, exact };
    const groups = await largest(found.groups ?? [], keyOf(query.group_by));
    return { count, exact, groups, other: count - groups.reduce((sum, group) => sum + group.count, 0) };
  } finally {
    release();
  }
}

function groupOf(by: string): NonNullable<CountQuery["groupBy"]> {
  if (by.startsWith("field:")) return { field: by.slice("field:".length) };
  if (by.startsWith("source:")) return { field: by.slice("source:".length), of: "source" };
  if (by === "month") return { column: "created_at", prefix: "2026-11".length };
  if (by === "day" || by === "week") return { column: "created_at", prefix: "2026-11-21".length };
  return { column: by };
}

/** The name of a store's group; null = it has none and counts as the rest. */
function keyOf(by: string): (key: string | null) => string | null {
  if (by === "week") return (day) => day && isoWeek(day);
  if (by === "country") return (code) => code ?? "unknown";
  return (key) => key;
}

async function largest(
  groups: NonNullable<Awaited<ReturnType<Core["storage"]["count"]>>["groups"]>,
  name: (key: string | null) => string | null,
) {
  const sums = new Map<string, number>();
  for (const group of groups) {
    const key = name(group.key);
    if (key !== null) sums.set(key, (sums.get(key) ?? 0) + group.count);
  }
  return largestOf(entries(sums), MAX_GROUPS);
}

function* entries(sums: ReadonlyMap<string, number>) {
  for (const [key, count] of sums) yield { key, count };
}

/** ISO 8601: weeks begin on Monday, and a week belongs to the year that its Thursday is in. */
function isoWeek(day: string): string {
  const midnight = Date.parse(day);
  const fromMonday = (new Date(midnight).getUTCDay() + 6) % 7;
  const thursday = midnight + (3 - fromMonday) * DAY_MS;
  const year = new Date(thursday).toISOString().slice(0, 4);
  const week = Math.floor((thursday - Date.parse(`${year}-01-01`)) / (7 * DAY_MS)) + 1;
  return `${year}-W${String(week).padStart(2, "0")}`;
}
