import { z } from "zod";
import { FormId } from "../forms/schema.ts";
import { route } from "../http/route.ts";
import { sendTestEmail, TestEmail, TestEmailInput } from "./test-email.ts";

export const mailRoutes = {
  sendTestEmail: route({
    method: "POST",
    path: "/v1/forms/:form_id/test-email",
    summary: "Send a test email",
    tag: "Forms",
    scopes: ["forms:write"],
    params: z.object({ form_id: FormId }),
    body: TestEmailInput,
    status: 202,
    response: TestEmail,
    errors: ["unavailable"],
    handler: ({ core, caller, params, body }) => sendTestEmail(core, caller, params.form_id, body),
  }),
};
