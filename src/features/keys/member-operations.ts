import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { memberOperation } from "../../core/member-operation.ts";
import { ApiError } from "../../errors.ts";
import { type ApiKey, type Caller, KeyCreate, type Scope, scopes } from "../../model/keys.ts";
import { createKey, getKey, listKeys, revokeKey } from "./service.ts";

const own = { team: "whole", scopes: [], right: "keys" } as const;
const KeyId = z.strictObject({ id: z.string() });

/** The keys of a team. */
export const keyOperations = {
  /** The keys of a team, oldest first. */
  listKeys: memberOperation({
    ...own,
    handler: ({ core, team }) => listKeys(core, { team_id: team.id }),
  }),
  /** A key of a team. */
  retrieveKey: memberOperation({
    ...own,
    body: KeyId,
    handler: ({ core, team, body }) => keyOf(core, team.id, body.id),
  }),
  /** Creates a key, which gets no field that is kept from the person. The answer has the key itself. */
  createKey: memberOperation({
    ...own,
    body: KeyCreate.omit({ team_id: true }),
    async handler({ core, caller, team, body }) {
      assertOwnScopes(caller, body.scopes);
      const forms = await core.rows.many("forms", body.form_ids ?? []);
      if (body.form_ids?.some((id) => forms.get(id)?.value.team_id !== team.id)) throw new ApiError("form_not_found");
      const without = [...(caller.passesOn ?? []), ...(caller.without ?? [])];
      return createKey(core, { ...body, team_id: team.id }, { without });
    },
    audit: { action: "create_key", ids: ({ id }) => [id] },
  }),
  /** Revokes a key of a team. */
  revokeKey: memberOperation({
    ...own,
    body: KeyId,
    handler: async ({ core, team, body }) => revokeKey(core, (await keyOf(core, team.id, body.id)).id),
    audit: { action: "revoke_key", ids: ({ id }) => [id] },
  }),
};

/** A key of the team. Throws `not_found`, also for another team's. */
async function keyOf(core: Core, team_id: string, id: string): Promise<ApiKey> {
  const key = await getKey(core, id);
  if (key.team_id !== team_id) throw new ApiError("not_found");
  return key;
}

/** Nobody gives a key more than they have: a key of theirs would be a way around their role. Throws `insufficient_scope`. */
function assertOwnScopes(caller: Caller, wanted: "all" | readonly Scope[]): void {
  if (caller.scopes === "all") return;
  const asked = wanted === "all" ? scopes : wanted;
  if (asked.some((scope) => !caller.scopes.includes(scope))) throw new ApiError("insufficient_scope");
}
