import type { Core } from "../../core/core.ts";
import type { Page } from "../../core/rows.ts";
import type { Position } from "../../drivers/storage/types.ts";
import { parseInput } from "../../lib/input.ts";
import { type TeamList, TeamListQuery } from "../../model/team-list.ts";
import type { Team, TeamRecord } from "../../model/teams.ts";
import { DEFAULT_TEAM, loadTeam, toTeam } from "./service.ts";

/** The most rows that one call reads, whatever few of them match. */
const MOST_READ = 2_000;

/** A page of teams, oldest first; shorter than `limit` where few of the rows that it read match. Throws `invalid_parameter`. */
export async function listTeams(core: Core, query: TeamListQuery = {}): Promise<TeamList> {
  const { limit, cursor, ...filters } = parseInput(TeamListQuery, query);
  const scope = JSON.stringify(["teams", filters.q ?? null, filters.plan ?? null, filters.active ?? null]);
  const after = cursor === undefined ? undefined : core.cursors.read(cursor, scope);
  if (after === undefined) await loadTeam(core, DEFAULT_TEAM);
  const { teams, next } = await found(core, filters, after, limit);
  return { data: teams, has_more: next !== null, next_cursor: next && core.cursors.issue(next, scope) };
}

type Filters = Pick<TeamListQuery, "q" | "plan" | "active">;

async function found(core: Core, filters: Filters, from: Position | undefined, limit: number) {
  const teams: Team[] = [];
  let after = from;
  for (let read = 0; read < MOST_READ; ) {
    const page: Page<"teams"> = await core.rows.page("teams", {
      partitions: [{ index: "all", equals: {} }],
      after,
      order: "asc",
      limit: hasFilter(filters) ? 200 : limit,
    });
    for (const { id, value } of page.rows) {
      if (!matches(id, value, filters)) continue;
      teams.push(toTeam(id, value));
      if (teams.length < limit) continue;
      const isLast = page.next === null && id === page.rows.at(-1)?.id;
      return { teams, next: isLast ? null : { sort: value.created_at, id } };
    }
    read += page.rows.length;
    if (page.next === null) return { teams, next: null };
    after = page.next;
  }
  return { teams, next: after ?? null };
}

const hasFilter = (filters: Filters): boolean => Object.values(filters).some((value) => value !== undefined);

function matches(id: string, { name, owner, plan, active }: TeamRecord, filters: Filters): boolean {
  if (filters.plan !== undefined && plan !== filters.plan) return false;
  if (filters.active !== undefined && active !== filters.active) return false;
  const sought = filters.q?.toLowerCase();
  return sought === undefined || [id, name, owner.email ?? ""].some((text) => text.toLowerCase().includes(sought));
}
