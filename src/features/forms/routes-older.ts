import { z } from "zod";
import { route } from "../../core/http/route.ts";
import { HostFormCreate } from "../../model/form-input.ts";
import { HostForm } from "../../model/forms.ts";
import { createForm } from "./create.ts";

/** Operations on forms that only the older API has. */
export const olderFormRoutes = {
  createFormWithWebhooks: route({
    method: "PUT",
    path: "/api/form",
    summary: "Create a form with its webhooks",
    tag: "Forms",
    scopes: ["forms:write"],
    creates: true,
    body: HostFormCreate.extend({ webhooks: z.array(z.strictObject({ url: z.string() })) }),
    response: HostForm,
    errors: ["plan_restricted"],
    // Old clients send addresses of any domain: replies go there, and mail is sent from it if it may be.
    handler: async ({ core, caller, body: { webhooks, ...input } }) =>
      (await createForm(core, caller, input, webhooks, { anySender: true })).value,
  }),
};
