import type { Core } from "../../core/core.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Caller } from "../../model/keys.ts";
import { reachForm } from "../forms/access.ts";
import { assertUsable, cachedTeam } from "../teams/service.ts";

/**
 * The form that a caller names, or null for a deleted one with submissions. Throws the errors of `reachForm`: an unknown form,
 * one of another team and a deleted one without submissions are all `form_not_found`.
 */
export async function reachSubmissions(core: Core, caller: Caller, formId: string): Promise<Stored<FormRecord> | null> {
  try {
    return await reachForm(core, caller, formId);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "form_not_found") throw error;
    const left = core.rows.walk("submissions", { index: "form", equals: { form_id: formId }, order: "desc", limit: 1 });
    const team_id = (await left.next()).value?.[0]?.value.team_id;
    if (team_id === undefined || (caller.team_ids && !caller.team_ids.includes(team_id))) throw error;
    const team = caller.team_ids && (await cachedTeam(core, team_id));
    if (team) assertUsable(team.value);
    if (caller.form_ids && !caller.form_ids.includes(formId)) throw new ApiError("form_access_restricted");
    return null;
  }
}
