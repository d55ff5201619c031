import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { reachForm } from "../forms/access.ts";
import type { Caller } from "../keys/schema.ts";
import { assertUsable, cachedTeam } from "../teams/service.ts";

/**
 * Passes when the caller reaches the form, or the submissions that a deleted one has left. Throws what `reachForm` throws: a
 * form that never was, one of another team and a deleted one without submissions are all `form_not_found`.
 */
export async function reachSubmissions(core: Core, caller: Caller, formId: string): Promise<void> {
  try {
    await reachForm(core, caller, formId);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "form_not_found") throw error;
    const [left] = await core.storage.page("submissions", {
      index: "form",
      equals: { form_id: formId },
      order: "desc",
      limit: 1,
    });
    const team_id = left?.value["team_id"] as string | undefined;
    if (team_id === undefined || (caller.team_ids && !caller.team_ids.includes(team_id))) throw error;
    const team = caller.team_ids && (await cachedTeam(core, team_id));
    if (team) assertUsable(team.value);
    if (caller.form_ids && !caller.form_ids.includes(formId)) throw new ApiError("form_access_restricted");
  }
}
