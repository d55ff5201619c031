import { z } from "zod";
import { route } from "../../core/http/route.ts";
import { fileResponse } from "../../lib/response.ts";
import { FieldList } from "../../model/field-list.ts";
import { FormId } from "../../model/forms.ts";
import { SpamBacktest, SpamBacktestResult } from "../../model/spam-backtest.ts";
import {
  SubmissionBulkMatching,
  SubmissionBulkResult,
  SubmissionBulkStep,
  SubmissionMatchQuery,
} from "../../model/submission-bulk.ts";
import {
  AllSubmissionsQuery,
  SubmissionCountQuery,
  SubmissionDeleteQuery,
  SubmissionExportQuery,
  SubmissionListQuery,
  SubmissionPatchQuery,
  SubmissionQuery,
} from "../../model/submission-queries.ts";
import {
  HostSubmission,
  HostSubmissionList,
  Submission,
  SubmissionBulk,
  SubmissionCount,
  SubmissionDeleted,
  SubmissionId,
  SubmissionList,
  SubmissionPatch,
} from "../../model/submissions.ts";
import { backtestSpam } from "./backtest.ts";
import { bulkSubmissions } from "./bulk.ts";
import { bulkMatching } from "./bulk-matching.ts";
import { countSubmissions } from "./count.ts";
import { exportSubmissions } from "./export.ts";
import { listFields } from "./fields.ts";
import { answerList, listAllSubmissions, listSubmissions, openAllSubmissions, openSubmissions } from "./list.ts";
import { deleteSubmission, retrieveSubmission, updateSubmission } from "./service.ts";

const byForm = z.object({ form_id: FormId });
const bySubmission = byForm.extend({ submission_id: SubmissionId });
const tag = "Submissions";

/** A submission without its work, unless a request over HTTP asks for it: programs of before it know no such member. */
function included(
  { work, ...submission }: HostSubmission,
  { include }: { include?: "work" | undefined },
  http: unknown,
): Submission {
  return http && include !== "work" ? submission : { ...submission, work };
}

export const submissionRoutes = {
  listAllSubmissions: route({
    method: "GET",
    path: "/v1/submissions",
    summary: "List the submissions of every form",
    tag,
    scopes: ["submissions:read"],
    query: AllSubmissionsQuery,
    response: SubmissionList,
    host: { response: HostSubmissionList },
    errors: ["scan_concurrency", "form_access_restricted", "form_not_found"],
    handler: async ({ core, caller, query, http, signal }) =>
      http
        ? answerList(core, caller, await openAllSubmissions(core, caller, query), signal)
        : listAllSubmissions(core, caller, query),
  }),
  listSubmissions: route({
    method: "GET",
    path: "/v1/forms/:form_id/submissions",
    call: "submissions.list",
    form: "kept",
    summary: "List submissions",
    tag,
    scopes: ["submissions:read"],
    params: byForm,
    query: SubmissionListQuery,
    response: SubmissionList,
    host: { response: HostSubmissionList },
    errors: ["scan_concurrency"],
    handler: async ({ core, caller, params, query, http, signal }) =>
      http
        ? answerList(core, caller, await openSubmissions(core, caller, params.form_id, query), signal)
        : listSubmissions(core, caller, params.form_id, query),
  }),
  countSubmissions: route({
    method: "GET",
    path: "/v1/forms/:form_id/submissions/count",
    call: "submissions.count",
    form: "kept",
    summary: "Count submissions",
    tag,
    scopes: ["submissions:read"],
    params: byForm,
    query: SubmissionCountQuery,
    response: SubmissionCount,
    errors: ["scan_concurrency"],
    handler: ({ core, caller, params, query }) => countSubmissions(core, caller, params.form_id, query),
  }),
  backtestSpam: route({
    method: "POST",
    path: "/v1/forms/:form_id/spam/backtest",
    call: "submissions.backtestSpam",
    form: "live",
    summary: "Try spam settings",
    tag,
    scopes: ["submissions:read"],
    params: byForm,
    body: SpamBacktest,
    response: SpamBacktestResult,
    errors: ["scan_concurrency"],
    handler: ({ core, caller, form, body }) => backtestSpam(core, caller, form, body),
  }),
  exportSubmissions: route({
    method: "GET",
    path: "/v1/forms/:form_id/submissions/export",
    call: "submissions.export",
    form: "kept",
    summary: "Export submissions",
    tag,
    scopes: ["submissions:read"],
    params: byForm,
    query: SubmissionExportQuery,
    response: z.array(Submission),
    otherTypes: ["text/csv", "application/x-ndjson"],
    errors: ["scan_concurrency"],
    handler: async ({ core, caller, params, query, signal }) => {
      return fileResponse(await exportSubmissions(core, caller, params.form_id, query, { signal }));
    },
  }),
  retrieveSubmission: route({
    method: "GET",
    path: "/v1/forms/:form_id/submissions/:submission_id",
    call: "submissions.get",
    form: "kept",
    summary: "Retrieve a submission",
    tag,
    scopes: ["submissions:read"],
    params: bySubmission,
    query: SubmissionQuery,
    response: Submission,
    host: { response: HostSubmission },
    errors: ["submission_not_found"],
    handler: async ({ core, caller, params, query, http }) =>
      included(await retrieveSubmission(core, caller, params.form_id, params.submission_id), query, http),
  }),
  updateSubmission: route({
    method: "PATCH",
    path: "/v1/forms/:form_id/submissions/:submission_id",
    call: "submissions.update",
    form: "kept",
    summary: "Mark, assign, label, snooze or finish a submission",
    tag,
    scopes: ["submissions:write"],
    params: bySubmission,
    query: SubmissionPatchQuery,
    body: SubmissionPatch,
    response: Submission,
    host: { response: HostSubmission },
    errors: ["submission_not_found"],
    handler: async ({ core, caller, params, query, body, http }) =>
      included(await updateSubmission(core, caller, params.form_id, params.submission_id, body, query), query, http),
  }),
  deleteSubmission: route({
    method: "DELETE",
    path: "/v1/forms/:form_id/submissions/:submission_id",
    call: "submissions.delete",
    form: "kept",
    summary: "Delete a submission",
    tag,
    scopes: ["submissions:write"],
    params: bySubmission,
    query: SubmissionDeleteQuery,
    response: SubmissionDeleted,
    errors: ["submission_not_found"],
    handler: ({ core, caller, params, query }) =>
      deleteSubmission(core, caller, params.form_id, params.submission_id, query),
  }),
  bulkSubmissions: route({
    method: "POST",
    path: "/v1/forms/:form_id/submissions/bulk",
    call: "submissions.bulk",
    form: "kept",
    summary: "Change many submissions",
    tag,
    scopes: ["submissions:write"],
    params: byForm,
    body: SubmissionBulk,
    response: SubmissionBulkResult,
    errors: [],
    handler: ({ core, caller, params, body }) => bulkSubmissions(core, caller, params.form_id, body),
  }),
  bulkMatchingSubmissions: route({
    method: "POST",
    path: "/v1/forms/:form_id/submissions/bulk/matching",
    call: "submissions.bulkMatching",
    form: "kept",
    summary: "Change all matching submissions",
    tag,
    scopes: ["submissions:write"],
    params: byForm,
    query: SubmissionMatchQuery,
    body: SubmissionBulkMatching,
    response: SubmissionBulkStep,
    errors: ["scan_concurrency"],
    handler: ({ core, caller, params, query, body }) => bulkMatching(core, caller, params.form_id, query, body),
  }),
  listFields: route({
    method: "GET",
    path: "/v1/forms/:form_id/fields",
    call: "forms.fields",
    form: "live",
    summary: "List field names",
    tag: "Forms",
    scopes: ["forms:read"],
    params: byForm,
    response: FieldList,
    errors: ["scan_concurrency"],
    handler: ({ core, caller, form }) => listFields(core, caller, form.id),
  }),
};
