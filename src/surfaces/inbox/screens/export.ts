import { ApiError } from "../../../errors.ts";
import { fileResponse } from "../../../lib/response.ts";
import { SubmissionExportQuery } from "../../../model/submission-queries.ts";
import { queryOf } from "../../api/query.ts";
import { apiParams } from "../filters.ts";
import type { MemberRequest } from "../visit.ts";
import { formOf } from "./_form-head.ts";
import { MOST } from "./bulk.ts";

/** The filtered submissions as a file, or the selected ones. The parameters are the API's, and `ids`. */
export async function exportScreen(visit: MemberRequest): Promise<Response> {
  const { t } = visit;
  const form = await formOf(visit);
  const params = apiParams(visit.query);
  for (const name of ["format", "order"]) {
    const value = visit.query.get(name);
    if (value !== null) params.set(name, value);
  }
  const query = queryOf(params, SubmissionExportQuery);
  // All that match goes before those that are selected on the page.
  const ids = visit.query.get("all") === "1" ? [] : [...new Set(visit.query.getAll("ids"))];
  if (ids.length > MOST) {
    throw new ApiError("invalid_parameter", { param: "ids", message: t.list.tooMany({ count: MOST }) });
  }
  const file = await visit.call("exportChosen", { params: { form_id: form.id }, body: { query, ids } });
  visit.note("export", { team_id: form.team_id, form_id: form.id, ids });
  return fileResponse(file);
}
