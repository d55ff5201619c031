import type { Core } from "../../core/core.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Caller } from "../../model/keys.ts";
import { reachForm } from "../forms/access.ts";
import { assertUsable, cachedTeam } from "../teams/service.ts";

/**
 * The form that a caller names, or null for a deleted one with submissions, be they in the trash. Throws the errors of `reachForm`:
 * an unknown form, one of another team and a deleted one without submissions are all `form_not_found`.
 */
export async function reachSubmissions(core: Core, caller: Caller, formId: string): Promise<Stored<FormRecord> | null> {
  try {
    return await reachForm(core, caller, formId);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "form_not_found") throw error;
    const team_id =
      (await newestIn(core, "submissions", formId)) ?? (await newestIn(core, "trashed_submissions", formId));
    if (team_id === undefined || (caller.team_ids && !caller.team_ids.includes(team_id))) throw error;
    const team = caller.team_ids && (await cachedTeam(core, team_id));
    if (team) assertUsable(team.value);
    if (caller.form_ids && !caller.form_ids.includes(formId)) throw new ApiError("form_access_restricted");
    return null;
  }
}

/** The team of a form's newest submission; undefined where it has none. */
async function newestIn(
  core: Core,
  collection: "submissions" | "trashed_submissions",
  form_id: string,
): Promise<string | undefined> {
  const left = core.rows.walk(collection, { index: "form", equals: { form_id }, order: "desc", limit: 1 });
  return (await left.next()).value?.[0]?.value.team_id;
}
