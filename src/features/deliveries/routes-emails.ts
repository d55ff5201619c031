import { z } from "zod";
import { route } from "../../core/http/route.ts";
import { EmailId, EmailListQuery, FormEmail, FormEmailList } from "../../model/emails.ts";
import { FormId } from "../../model/forms.ts";
import { listEmails, resendEmail } from "./emails.ts";

const byForm = z.object({ form_id: FormId });

export const emailRoutes = {
  listEmails: route({
    method: "GET",
    path: "/v1/forms/:form_id/emails",
    call: "emails.list",
    form: "live",
    summary: "List emails",
    tag: "Emails",
    scopes: ["submissions:read"],
    params: byForm,
    query: EmailListQuery,
    response: FormEmailList,
    errors: [],
    handler: ({ core, caller, form, query }) => listEmails(core, caller, form, query),
  }),
  resendEmail: route({
    method: "POST",
    path: "/v1/forms/:form_id/emails/:email_id/resend",
    call: "emails.resend",
    form: "live",
    summary: "Send an email again",
    tag: "Emails",
    scopes: ["forms:write"],
    params: byForm.extend({ email_id: EmailId }),
    status: 202,
    response: FormEmail,
    errors: ["not_found", "submission_not_stored", "plan_restricted"],
    handler: ({ core, caller, form, params }) => resendEmail(core, caller, form, params.email_id),
  }),
};
