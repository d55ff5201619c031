import { z } from "zod";
import { route } from "../../core/http/route.ts";
import { FormId } from "../../model/forms.ts";
import { HostMessageCreate, Message, MessageCreate, MessageList } from "../../model/messages.ts";
import { SubmissionId } from "../../model/submissions.ts";
import { listMessages, sendMessage } from "./send.ts";
import { toMessages } from "./shown.ts";

const bySubmission = z.object({ form_id: FormId, submission_id: SubmissionId });
const path = "/v1/forms/:form_id/submissions/:submission_id/messages";
const tag = "Messages";

export const messageRoutes = {
  listMessages: route({
    method: "GET",
    path,
    call: "messages.list",
    form: "kept",
    summary: "List the messages under a submission",
    tag,
    scopes: ["submissions:read"],
    params: bySubmission,
    response: MessageList,
    errors: ["submission_not_found"],
    handler: async ({ core, caller, form, params }) => ({
      data: await listMessages(core, caller, form, params.form_id, params.submission_id, toMessages),
    }),
  }),
  sendMessage: route({
    method: "POST",
    path,
    call: "messages.send",
    form: "live",
    summary: "Answer a submission",
    tag,
    scopes: ["submissions:write"],
    params: bySubmission,
    body: MessageCreate,
    host: { body: HostMessageCreate },
    status: 202,
    response: Message,
    errors: ["submission_not_found", "plan_restricted", "idempotency_mismatch"],
    handler({ core, caller, form, params, body, http }) {
      const { idempotency_key = "", ...input }: HostMessageCreate = body;
      const key = http?.request.headers.get("idempotency-key") ?? idempotency_key;
      return sendMessage(core, caller, form, params.submission_id, input, key);
    },
  }),
};
