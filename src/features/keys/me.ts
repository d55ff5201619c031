import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { Timestamp } from "../../lib/wire.ts";
import { type Caller, Scope, scopes } from "../../model/keys.ts";
import { cachedTeam } from "../teams/service.ts";

const Workspace = z.object({
  /** The team's id. */
  id: z.string(),
  /** The team's name. */
  name: z.string(),
});

/** A credential and its access. `workspace` is its first team, null if it has none. */
export const Me = z
  .object({
    /** The kind of credential. */
    auth: z.enum(["api_key", "oauth", "host"]),
    key_id: z.string().describe("The key's id, or the token's subject."),
    workspace: Workspace.nullable().describe("The first team; null if there is none."),
    /** The teams it reaches. */
    teams: z.array(
      Workspace.extend({
        /** The name of the team's plan. */
        plan: z.string(),
      }),
    ),
    /** The operations it may use. */
    scopes: z.array(Scope),
    form_ids: z.array(z.string()).nullable().describe("The forms that the credential is restricted to; null for all."),
    /** The time from which it no longer works; null for never. */
    expires_at: Timestamp.nullable(),
  })
  .meta({ id: "Me" });
export type Me = z.infer<typeof Me>;

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
