import type { Core } from "../../core/core.ts";
import { limitFailures } from "../../core/http/limits.ts";
import type { Exchange } from "../../core/http/route.ts";
import { callerOfKey, useKey } from "../../features/keys/service.ts";
import { allTeams, cachedTeam } from "../../features/teams/service.ts";
import type { KeyRecord } from "../../model/keys.ts";

/** A key whose holder has signed in. */
export type SignedInKey = Pick<KeyRecord, "name" | "team_id" | "scopes" | "form_ids" | "without">;

/** Signs in by the text of a key. Answers the key's id. Throws `invalid_key`, and `rate_limited` after too many wrong ones. */
export const signInByKey = (exchange: Exchange, text: string): Promise<string> =>
  limitFailures(exchange, async () => (await callerOfKey(exchange.core, text.trim())).id);

/**
 * A key whose holder signed in before; null once it is revoked or expired, from the next request on. Its use is noted, as that of
 * a key in a request of the API.
 */
export async function signedInKey(core: Core, id: string): Promise<SignedInKey | null> {
  const key = await useKey(core, id);
  if (!key) return null;
  const { name, team_id, scopes, form_ids, without } = key;
  return { name, team_id, scopes, form_ids, ...(without && { without }) };
}

/** The names of teams, for the page of a link that its user has not opened yet; the id of one that there is no more. */
export async function namesOfTeams(core: Core, ids: readonly string[]): Promise<string[]> {
  const teams = await core.rows.many("teams", ids);
  return ids.map((id) => teams.get(id)?.value.name ?? id);
}

/** The name of a team that an operator has entered; null once it is gone. */
export async function nameOfEntered(core: Core, id: string): Promise<string | null> {
  const team = await cachedTeam(core, id);
  return team && !team.value.deleting ? team.value.name : null;
}

/** The ids of the teams of a link: those that it names, or every team that there is by now. */
export const teamsOfLink = async (core: Core, named: readonly string[] | null): Promise<string[]> =>
  named ? [...named] : (await allTeams(core)).map(({ id }) => id);
