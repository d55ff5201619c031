import { remove } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { DAY_MS, iso, monthOf } from "../../lib/clock.ts";

/** Counters of one team that its deletion removes: those of older months are as good as none. */
const MAX_MONTHS = 120;

/** What a team used in a month, beside the submissions that count for its plan, which have no name of their own. */
export type UsageKind = "spam" | "over_quota" | "emails" | "webhooks" | "file_bytes";
export const usageKinds: readonly UsageKind[] = ["spam", "over_quota", "emails", "webhooks", "file_bytes"];

/** The counter of a team's month (`2026-11`): of the submissions that count for its plan, or of what else it used. */
export const usageCounter = (team_id: string, month: string, kind?: UsageKind): string =>
  kind ? `team:${team_id}:${month}:${kind}` : `team:${team_id}:${month}`;

/** The write that counts what a team used. */
export const usageWrite = (team_id: string, at: string, kind: UsageKind, by = 1): Write => ({
  op: "add",
  id: usageCounter(team_id, monthOf(at), kind),
  by,
  at,
});

/** Removes every counter of a team that is deleted. */
export function withoutUsage(team_id: string, created_at: string, now: number): Write[] {
  const months = new Set<string>();
  for (let at = now; months.size < MAX_MONTHS && monthOf(iso(at)) >= monthOf(created_at); at -= 28 * DAY_MS)
    months.add(monthOf(iso(at)));
  return [...months].flatMap((month) =>
    [undefined, ...usageKinds].map((kind) => remove("counters", usageCounter(team_id, month, kind))),
  );
}
