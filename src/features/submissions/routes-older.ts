import { z } from "zod";
import { route } from "../../core/http/route.ts";
import { FormId } from "../../model/forms.ts";
import { NumberedPage, NumberedQuery } from "../../model/submission-numbered.ts";
import { listNumbered } from "./numbered.ts";

/** Reads that only the older API has. */
export const olderSubmissionRoutes = {
  listNumbered: route({
    method: "GET",
    path: "/api/form/:form_id/submissions",
    form: "live",
    summary: "List submissions by page",
    tag: "Submissions",
    scopes: ["submissions:read"],
    params: z.object({ form_id: FormId }),
    query: NumberedQuery,
    response: NumberedPage,
    errors: ["scan_concurrency"],
    handler: ({ core, caller, form, query }) => listNumbered(core, caller, form, query),
  }),
};
