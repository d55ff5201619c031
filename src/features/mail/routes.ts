import { z } from "zod";
import { route } from "../../core/http/route.ts";
import { FormId } from "../../model/forms.ts";
import { sendTestEmail, TestEmail, TestEmailInput, TestEmailOptions } from "./test-email.ts";

export const mailRoutes = {
  sendTestEmail: route({
    method: "POST",
    path: "/v1/forms/:form_id/test-email",
    call: "forms.sendTestEmail",
    form: "live",
    summary: "Send a test email",
    tag: "Forms",
    scopes: ["forms:write"],
    params: z.object({ form_id: FormId }),
    body: TestEmailInput,
    host: { body: TestEmailOptions },
    status: 202,
    response: TestEmail,
    errors: ["unavailable"],
    handler: ({ core, form, body }) => sendTestEmail(core, form, body),
  }),
};
