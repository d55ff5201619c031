import type { Core } from "../../core/core.ts";
import { type Caller, scopes } from "../../model/keys.ts";
import type { Me } from "../../model/me.ts";
import { cachedTeam } from "../teams/service.ts";

/** Describes the caller to itself. */
export async function describeCaller(core: Core, caller: Caller): Promise<Me> {
  const rows = await Promise.all((caller.team_ids ?? []).map((id) => cachedTeam(core, id)));
  const teams = rows.flatMap((row) => (row ? [{ id: row.id, name: row.value.name, plan: row.value.plan }] : []));
  return {
    auth: caller.auth,
    key_id: caller.id,
    workspace: teams[0] ?? null,
    teams,
    scopes: caller.scopes === "all" ? [...scopes] : [...caller.scopes],
    form_ids: caller.form_ids === null ? null : [...caller.form_ids],
    expires_at: caller.expires_at ?? null,
  };
}
