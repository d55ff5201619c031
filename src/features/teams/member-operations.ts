import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { memberOperation } from "../../core/member-operation.ts";
import type { Caller } from "../../model/keys.ts";
import type { Team } from "../../model/teams.ts";
import { loadTeam, planOf, toTeam, updateTeam } from "./service.ts";

/** Teams that a page names; a link to every team may reach more. */
const MOST_TEAMS = 200;

/** The first teams of a person, in the order that the host gave; without those that there are no more. */
async function teamsOf(core: Core, { team_ids }: Caller): Promise<Team[]> {
  const ids = (team_ids ?? []).slice(0, MOST_TEAMS);
  const rows = await core.rows.many("teams", ids);
  return ids.flatMap((id) => {
    const row = rows.get(id);
    return row ? [toTeam(id, row.value)] : [];
  });
}

/** Reads and changes of teams by the inbox. */
export const teamOperations = {
  /** The name of a team. */
  nameTeam: memberOperation({
    team: "part",
    scopes: [],
    handler: async ({ team }) => ({ id: team.id, name: team.value.name }),
  }),
  /** The names of the person's teams, in the order that the host gave. */
  nameTeams: memberOperation({
    scopes: [],
    handler: async ({ core, caller }) => (await teamsOf(core, caller)).map(({ id, name }) => ({ id, name })),
  }),
  /** The same teams with their owners, plans and states, and the number of those that are not listed. */
  listOwnTeams: memberOperation({
    scopes: [],
    admin: true,
    handler: async ({ core, caller }) => ({
      data: await teamsOf(core, caller),
      more: Math.max(0, (caller.team_ids ?? []).length - MOST_TEAMS),
    }),
  }),
  /** Renames a team. Its plan, owner and state are the host's to change: they are what it is paid for. */
  renameTeam: memberOperation({
    team: "whole",
    scopes: [],
    admin: true,
    body: z.strictObject({ name: z.string() }),
    handler: ({ core, team, body }) => updateTeam(core, team.id, body),
    audit: { action: "update_team", ids: ({ id }) => [id] },
  }),
  /** The plan of a form's team. */
  planOfForm: memberOperation({
    form: "live",
    scopes: ["forms:read"],
    handler: async ({ core, form }) => {
      const team = await loadTeam(core, form.value.team_id);
      return team && { name: team.value.plan, recipients: planOf(core, team.value).recipients };
    },
  }),
};
