import type { Core } from "../../core/core.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import type { Caller } from "../../model/keys.ts";
import type { TeamRecord } from "../../model/teams.ts";
import { assertUsable, loadTeam } from "./service.ts";

/** The team that a caller names. Throws `not_found`, also for another's team, `team_inactive` and `owner_unverified`. */
export async function reachTeam(core: Core, { team_ids }: Caller, id: string): Promise<Stored<TeamRecord>> {
  const row = team_ids === null || team_ids.includes(id) ? await loadTeam(core, id) : null;
  if (!row) throw new ApiError("not_found", { message: "There is no such team." });
  assertUsable(row.value);
  return row;
}
