import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import type { Count } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { iso, monthOf } from "../../lib/clock.ts";
import { parseInput } from "../../lib/input.ts";
import { type TeamUsage, type UsageList, UsageQuery } from "../../model/usage.ts";
import { DEFAULT_TEAM, loadTeam } from "./service.ts";
import { usageCounter, usageKinds } from "./usage.ts";

/** Time for counting the submissions of one team, for a bill: some ten million rows. */
const COUNT_BUDGET_MS = 60_000;
/** Teams whose submissions are counted at the same time. */
const SIDE_BY_SIDE = 4;

/**
 * What teams used in a month, oldest team first. Throws `invalid_parameter`, `not_found` for an unknown team, and `unavailable`
 * where counting the submissions of a team takes more than a minute.
 */
export async function usageOf(core: Core, query: UsageQuery): Promise<UsageList> {
  const { month, team_id, cursor, limit } = parseInput(UsageQuery, query);
  if (month > monthOf(iso(core.clock.now())))
    throw new ApiError("invalid_parameter", { param: "month", message: "`month` has not begun yet." });
  if (team_id !== undefined) {
    const team = await loadTeam(core, team_id);
    if (!team) throw new ApiError("not_found", { message: `There is no team "${team_id}".` });
    return { data: await used(core, [team], month), has_more: false, next_cursor: null };
  }
  const scope = JSON.stringify(["usage", month]);
  const after = cursor === undefined ? undefined : core.cursors.read(cursor, scope);
  if (after === undefined) await loadTeam(core, DEFAULT_TEAM);
  const partitions = [{ index: "all", equals: {} }];
  const { rows, next } = await core.rows.page("teams", { partitions, after, order: "asc", limit });
  const next_cursor = next && core.cursors.issue(next, scope);
  return { data: await used(core, rows, month), has_more: next !== null, next_cursor };
}

async function used(core: Core, teams: readonly Row<"teams">[], month: string): Promise<TeamUsage[]> {
  const counted = await countedOf(
    core,
    teams.map(({ id }) => id),
    month,
  );
  const usage: TeamUsage[] = [];
  for (let from = 0; from < teams.length; from += SIDE_BY_SIDE) {
    const some = counted.slice(from, from + SIDE_BY_SIDE);
    usage.push(...(await Promise.all(some.map(async (one) => ({ ...one, stored: await exactly(core, one.team_id) })))));
  }
  return usage;
}

/** The counters of teams in a month: one read, whatever they store. */
export async function countedOf(
  core: Core,
  ids: readonly string[],
  month: string,
): Promise<Omit<TeamUsage, "stored">[]> {
  const names = ids.flatMap((id) => [undefined, ...usageKinds].map((kind) => usageCounter(id, month, kind)));
  const counters = await core.rows.many("counters", names);
  return ids.map((id) => {
    const of = (kind?: (typeof usageKinds)[number]) => counters.get(usageCounter(id, month, kind))?.value.n ?? 0;
    return {
      team_id: id,
      accepted: of(),
      spam: of("spam"),
      over_quota: of("over_quota"),
      emails: of("emails"),
      webhooks: of("webhooks"),
      file_bytes: of("file_bytes"),
    };
  });
}

/** A bill must not say less than there is. */
async function exactly(core: Core, team_id: string): Promise<number> {
  const { count, exact } = await storedBy(core, team_id, COUNT_BUDGET_MS);
  if (exact) return count;
  throw new ApiError("unavailable", {
    message: `The submissions of the team "${team_id}" could not be counted within a minute. Ask for its usage when the store is less busy.`,
    headers: { "retry-after": "60" },
  });
}

/** The submissions that a team stores now, or as many as were counted in the time. */
export const storedBy = (core: Core, team_id: string, budgetMs: number): Promise<Count> =>
  core.storage.count("submissions", { index: "team", equals: { team_id }, budgetMs });
