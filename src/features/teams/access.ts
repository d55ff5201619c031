import type { Core } from "../../core/core.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import type { Caller } from "../../model/keys.ts";
import type { TeamRecord } from "../../model/teams.ts";
import { allTeams, assertUsable, loadTeam } from "./service.ts";

/** The team that a caller names. Throws `not_found`, also for another's team, `team_inactive` and `owner_unverified`. */
export async function reachTeam(core: Core, { team_ids }: Caller, id: string): Promise<Stored<TeamRecord>> {
  const row = team_ids === null || team_ids.includes(id) ? await loadTeam(core, id) : null;
  if (!row) throw new ApiError("not_found", { message: "There is no such team." });
  assertUsable(row.value);
  return row;
}

/**
 * The team that a caller names, or the only one that it reaches. Throws `not_found`, and `invalid_parameter` on `team_id` where
 * there are several.
 */
export async function onlyTeam(core: Core, caller: Caller, team_id?: string): Promise<string> {
  if (team_id !== undefined) return (await reachTeam(core, caller, team_id)).id;
  const teams = caller.team_ids ?? (await allTeams(core)).map(({ id }) => id);
  const [only] = teams;
  if (only === undefined || teams.length > 1) throw wrongParameter("team_id", "is required: there are several teams");
  return (await reachTeam(core, caller, only)).id;
}
