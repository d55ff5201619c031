import type { Core } from "../../core/core.ts";
import { wrongParameter } from "../../errors.ts";
import type { Caller } from "../../model/keys.ts";
import { reachTeam } from "../teams/access.ts";
import { allTeams } from "../teams/service.ts";

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
