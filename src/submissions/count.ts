import type { Core } from "../core.ts";
import type { CountQuery } from "../drivers/storage/types.ts";
import type { Caller } from "../keys/schema.ts";
import { reachSubmissions } from "./access.ts";
import { partitionOf, selectionOf } from "./query.ts";
import { takeScan } from "./scans.ts";
import type { SubmissionCount, SubmissionCountQuery } from "./schema.ts";

const BUDGET_MS = 5_000;
const MAX_GROUPS = 20;
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * How many submissions match, grouped where asked for: the 20 largest groups and, as `other`, the rest, which includes
 * submissions without the field that is grouped by. Past 5 s it answers what it has, `exact: false`.
 * Throws `invalid_parameter`, `scan_concurrency` and what `reachForm` throws.
 */
export async function countSubmissions(
  core: Core,
  caller: Caller,
  formId: string,
  query: SubmissionCountQuery,
): Promise<SubmissionCount> {
  await reachSubmissions(core, caller, formId);
  const { spam, where, filtered } = selectionOf(query);
  const release = takeScan(core, caller, filtered);
  try {
    const found = await core.storage.count("submissions", {
      ...partitionOf("form", formId, spam),
      where,
      groupBy: query.group_by === undefined ? undefined : groupOf(query.group_by),
      budgetMs: BUDGET_MS,
    });
    const { count, exact } = found;
    if (query.group_by === undefined) return { count, exact };
    const groups = largest(found.groups ?? [], keyOf(query.group_by));
    return { count, exact, groups, other: count - groups.reduce((sum, group) => sum + group.count, 0) };
  } finally {
    release();
  }
}

function groupOf(by: string): NonNullable<CountQuery["groupBy"]> {
  if (by.startsWith("field:")) return { field: by.slice("field:".length) };
  if (by === "month") return { column: "created_at", prefix: "2026-11".length };
  if (by === "day" || by === "week") return { column: "created_at", prefix: "2026-11-21".length };
  return { column: by };
}

/** What a group of the store is called; null = it has no name and counts as the rest. */
function keyOf(by: string): (key: string | null) => string | null {
  if (by === "week") return (day) => day && isoWeek(day);
  if (by === "country") return (code) => code ?? "unknown";
  return (key) => key;
}

function largest(
  groups: NonNullable<Awaited<ReturnType<Core["storage"]["count"]>>["groups"]>,
  name: (key: string | null) => string | null,
) {
  const sums = new Map<string, number>();
  for (const group of groups) {
    const key = name(group.key);
    if (key !== null) sums.set(key, (sums.get(key) ?? 0) + group.count);
  }
  return Array.from(sums, ([key, count]) => ({ key, count }))
    .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
    .slice(0, MAX_GROUPS);
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
