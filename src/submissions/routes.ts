import { z } from "zod";
import { FormId } from "../forms/schema.ts";
import { route } from "../http/route.ts";
import { countSubmissions } from "./count.ts";
import { exportSubmissions } from "./export.ts";
import { listFields } from "./fields.ts";
import { listAllSubmissions, listSubmissions } from "./list.ts";
import {
  AllSubmissionsQuery,
  FieldList,
  Submission,
  SubmissionBulk,
  SubmissionBulkResult,
  SubmissionCount,
  SubmissionCountQuery,
  SubmissionDeleted,
  SubmissionExportQuery,
  SubmissionId,
  SubmissionList,
  SubmissionListQuery,
  SubmissionPatch,
  SubmissionPatchQuery,
} from "./schema.ts";
import { bulkSubmissions, deleteSubmission, retrieveSubmission, updateSubmission } from "./service.ts";

const byForm = z.object({ form_id: FormId });
const bySubmission = byForm.extend({ submission_id: SubmissionId });
const tag = "Submissions";

export const submissionRoutes = {
  listAllSubmissions: route({
    method: "GET",
    path: "/v1/submissions",
    summary: "List the submissions of every form",
    tag,
    scopes: ["submissions:read"],
    query: AllSubmissionsQuery,
    response: SubmissionList,
    errors: ["scan_concurrency", "form_access_restricted", "form_not_found"],
    handler: ({ core, caller, query }) => listAllSubmissions(core, caller, query),
  }),
  listSubmissions: route({
    method: "GET",
    path: "/v1/forms/:form_id/submissions",
    summary: "List submissions",
    tag,
    scopes: ["submissions:read"],
    params: byForm,
    query: SubmissionListQuery,
    response: SubmissionList,
    errors: ["scan_concurrency"],
    handler: ({ core, caller, params, query }) => listSubmissions(core, caller, params.form_id, query),
  }),
  countSubmissions: route({
    method: "GET",
    path: "/v1/forms/:form_id/submissions/count",
    summary: "Count submissions",
    tag,
    scopes: ["submissions:read"],
    params: byForm,
    query: SubmissionCountQuery,
    response: SubmissionCount,
    errors: ["scan_concurrency"],
    handler: ({ core, caller, params, query }) => countSubmissions(core, caller, params.form_id, query),
  }),
  exportSubmissions: route({
    method: "GET",
    path: "/v1/forms/:form_id/submissions/export",
    summary: "Export submissions",
    tag,
    scopes: ["submissions:read"],
    params: byForm,
    query: SubmissionExportQuery,
    response: z.array(Submission),
    otherTypes: ["text/csv", "application/x-ndjson"],
    errors: ["scan_concurrency"],
    handler: async ({ core, caller, params, query, request }) => {
      const file = await exportSubmissions(core, caller, params.form_id, query, request.signal);
      return new Response(file.stream, {
        headers: {
          "content-type": file.content_type,
          "content-disposition": `attachment; filename="${file.file_name}"`,
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
        },
      });
    },
  }),
  retrieveSubmission: route({
    method: "GET",
    path: "/v1/forms/:form_id/submissions/:submission_id",
    summary: "Retrieve a submission",
    tag,
    scopes: ["submissions:read"],
    params: bySubmission,
    response: Submission,
    errors: ["submission_not_found"],
    handler: ({ core, caller, params }) => retrieveSubmission(core, caller, params.form_id, params.submission_id),
  }),
  updateSubmission: route({
    method: "PATCH",
    path: "/v1/forms/:form_id/submissions/:submission_id",
    summary: "Mark a submission read, unread, spam or not spam",
    tag,
    scopes: ["submissions:write"],
    params: bySubmission,
    query: SubmissionPatchQuery,
    body: SubmissionPatch,
    response: Submission,
    errors: ["submission_not_found"],
    handler: ({ core, caller, params, query, body }) =>
      updateSubmission(core, caller, params.form_id, params.submission_id, body, query),
  }),
  deleteSubmission: route({
    method: "DELETE",
    path: "/v1/forms/:form_id/submissions/:submission_id",
    summary: "Delete a submission",
    tag,
    scopes: ["submissions:write"],
    params: bySubmission,
    response: SubmissionDeleted,
    errors: ["submission_not_found"],
    handler: ({ core, caller, params }) => deleteSubmission(core, caller, params.form_id, params.submission_id),
  }),
  bulkSubmissions: route({
    method: "POST",
    path: "/v1/forms/:form_id/submissions/bulk",
    summary: "Change many submissions",
    tag,
    scopes: ["submissions:write"],
    params: byForm,
    body: SubmissionBulk,
    response: SubmissionBulkResult,
    errors: [],
    handler: ({ core, caller, params, body }) => bulkSubmissions(core, caller, params.form_id, body),
  }),
  listFields: route({
    method: "GET",
    path: "/v1/forms/:form_id/fields",
    summary: "List field names",
    tag: "Forms",
    scopes: ["forms:read"],
    params: byForm,
    response: FieldList,
    errors: [],
    handler: ({ core, caller, params }) => listFields(core, caller, params.form_id),
  }),
};
