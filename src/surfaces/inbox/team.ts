import type { Stored } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { assertUsable, loadTeam } from "../../features/teams/service.ts";
import { type Html, html } from "../../lib/html.ts";
import type { TeamRecord } from "../../model/teams.ts";
import type { MemberRequest } from "./visit.ts";

/** Teams that a page names; a link to every team may reach more. */
export const MOST_TEAMS = 200;

/**
 * The team that a page is about: the one that it names, or else the person's first. Throws `not_found`, also for another's team,
 * `team_inactive` and `owner_unverified`.
 */
export async function teamOf({ core, member }: MemberRequest, wanted: string | null): Promise<Stored<TeamRecord>> {
  const own = member.caller.team_ids ?? [];
  const id = wanted ?? own[0];
  const row = id !== undefined && own.includes(id) ? await loadTeam(core, id) : null;
  if (!row) throw new ApiError("not_found", { message: "There is no such team." });
  assertUsable(row.value);
  return row;
}

/** The person's teams that there are, in the order that the host gave. */
export async function ownTeams({ core, member }: MemberRequest): Promise<Stored<TeamRecord>[]> {
  const ids = (member.caller.team_ids ?? []).slice(0, MOST_TEAMS);
  const rows = await core.rows.many("teams", ids);
  return ids.flatMap((id) => rows.get(id) ?? []);
}

/** Leads to the same page of another team; nothing for somebody with one team. */
export async function teamChoice(visit: MemberRequest, path: string, current: string): Promise<Html | null> {
  const { t, to, member } = visit;
  if ((member.caller.team_ids ?? []).length < 2) return null;
  const teams = await ownTeams(visit);
  const known = teams.some(({ id }) => id === current);
  return html`<form class="choose" action="${to(path)}"><label class="sr" for="team">${t.team.choose()}</label><select id="team" name="team" dir="auto">${!known && html`<option value="${current}" selected>${current}</option>`}${teams.map(
    ({ id, value }) => html`<option value="${id}"${id === current && html` selected`}>${value.name}</option>`,
  )}</select><button class="button">${t.team.show()}</button></form>`;
}
