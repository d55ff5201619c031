import { type Core, find } from "../core.ts";
import type { Stored } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import type { Caller } from "../keys/schema.ts";
import { assertUsable, cachedTeam } from "../teams/service.ts";
import type { FormRecord } from "./schema.ts";

/**
 * The form that a caller names. A form of another team does not exist for the caller (`form_not_found`); one of its own team
 * outside the key's list is `form_access_restricted`; one of a suspended team is `team_inactive` or `owner_unverified`.
 */
export async function reachForm(core: Core, caller: Caller, id: string): Promise<Stored<FormRecord>> {
  const form = await find<FormRecord>(core, "forms", id);
  if (!form || (caller.team_ids && !caller.team_ids.includes(form.value.team_id))) throw new ApiError("form_not_found");
  if (caller.team_ids) {
    const team = await cachedTeam(core, form.value.team_id);
    if (!team) throw new ApiError("form_not_found");
    assertUsable(team.value);
  }
  if (caller.form_ids && !caller.form_ids.includes(id)) throw new ApiError("form_access_restricted");
  return form;
}

/** The teams whose rows a list shows the caller: those asked for or all covered ones, without suspended ones. Null = every team. */
export async function listedTeams(
  core: Core,
  caller: Caller,
  team_id: string | undefined,
): Promise<readonly string[] | null> {
  if (team_id !== undefined) {
    if (caller.team_ids && !caller.team_ids.includes(team_id)) {
      throw new ApiError("invalid_parameter", {
        param: "team_id",
        message: "`team_id` is not a team of this credential.",
      });
    }
    if (caller.team_ids) {
      const team = await cachedTeam(core, team_id);
      if (team) assertUsable(team.value);
    }
    return [team_id];
  }
  if (!caller.team_ids) return null;
  const teams = await Promise.all(caller.team_ids.map((id) => cachedTeam(core, id)));
  return teams.flatMap((team) => (team?.value.active && team.value.owner.email_verified ? [team.id] : []));
}
