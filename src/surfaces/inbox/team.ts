import { type Html, html } from "../../lib/html.ts";
import type { Answers, MemberRequest } from "./visit.ts";

/**
 * The team that a page is about: the one that it names, or else the person's first. Throws `not_found`, also for another's team,
 * `team_inactive` and `owner_unverified`.
 */
export const teamOf = (visit: MemberRequest): Promise<Answers["nameTeam"]> =>
  visit.call("nameTeam", { params: { team_id: teamIdOf(visit) } });

/** The id of that team, as the address has it; empty for somebody without a team. */
export const teamIdOf = ({ member, query }: MemberRequest): string =>
  query.get("team") ?? member.caller.team_ids?.[0] ?? "";

/** Leads to the same page of another team; nothing for somebody with one team. */
export async function teamChoice(visit: MemberRequest, path: string, current: string): Promise<Html | null> {
  const { t, to, member } = visit;
  if ((member.caller.team_ids ?? []).length < 2) return null;
  const teams = await visit.call("nameTeams");
  const known = teams.some(({ id }) => id === current);
  return html`<form class="choose" action="${to(path)}"><label class="sr" for="team">${t.team.choose()}</label><select id="team" name="team" dir="auto">${!known && html`<option value="${current}" selected>${current}</option>`}${teams.map(
    ({ id, name }) => html`<option value="${id}"${id === current && html` selected`}>${name}</option>`,
  )}</select><button class="button">${t.team.show()}</button></form>`;
}
