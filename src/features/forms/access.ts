import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import type { Caller } from "../../model/keys.ts";
import { assertUsable, cachedTeam } from "../teams/service.ts";

/**
 * The form that a caller names. Throws `form_not_found` for another team's form, `form_access_restricted` for a form of the
 * caller's team outside the key's list, and `team_inactive` or `owner_unverified` for one of a suspended team.
 */
export async function reachForm(core: Core, caller: Caller, id: string): Promise<Row<"forms">> {
  const form = await core.rows.get("forms", id);
  if (!form || (caller.team_ids && !caller.team_ids.includes(form.value.team_id))) throw new ApiError("form_not_found");
  if (caller.team_ids) {
    const team = await cachedTeam(core, form.value.team_id);
    if (!team) throw new ApiError("form_not_found");
    assertUsable(team.value);
  }
  if (caller.form_ids && !caller.form_ids.includes(id)) throw new ApiError("form_access_restricted");
  return form;
}

/** The teams whose rows a list shows: the requested ones, or all of the caller's, without suspended ones. Null = every team. */
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
