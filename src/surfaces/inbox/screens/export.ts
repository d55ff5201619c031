import { clientGone } from "../../../core/http/gone.ts";
import { ApiError } from "../../../errors.ts";
import { exportAnswer, exportSubmissions } from "../../../features/submissions/export.ts";
import { parseInput } from "../../../lib/input.ts";
import { SubmissionExportQuery } from "../../../model/submission-queries.ts";
import { queryOf } from "../../api/query.ts";
import { apiParams } from "../filters.ts";
import type { MemberRequest } from "../visit.ts";
import { formOf } from "./_form-head.ts";
import { MOST } from "./bulk.ts";

/** The filtered submissions as a file, or the selected ones. The parameters are the API's, and `ids`. */
export async function exportScreen(visit: MemberRequest): Promise<Response> {
  const { core, member, redactor, exchange, t } = visit;
  const form = await formOf(visit);
  const params = apiParams(visit.query);
  for (const name of ["format", "order"]) {
    const value = visit.query.get(name);
    if (value !== null) params.set(name, value);
  }
  const query = parseInput(SubmissionExportQuery, queryOf(params, SubmissionExportQuery));
  // All that match goes before those that are selected on the page.
  const ids = visit.query.get("all") === "1" ? [] : [...new Set(visit.query.getAll("ids"))];
  if (ids.length > MOST) {
    throw new ApiError("invalid_parameter", { param: "ids", message: t.list.tooMany({ count: MOST }) });
  }
  const file = await exportSubmissions(core, member.caller, form.id, query, {
    signal: clientGone(exchange.request),
    alter: (record) => redactor?.record(record) ?? record,
    only: ids.length > 0 ? ids : undefined,
  });
  visit.note("export", { team_id: form.team_id, form_id: form.id, ids });
  return exportAnswer(file);
}
