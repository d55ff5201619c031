import { z } from "zod";
import { memberOperation } from "../../core/member-operation.ts";
import { InboxMessageCreate } from "../../model/messages.ts";
import { imagesOf } from "../files/form-images.ts";
import { fileNameOf } from "../images/service.ts";
import { listMessages, sendMessage } from "../messages/send.ts";
import { toThread } from "../messages/shown.ts";
import { filled } from "./saved-text.ts";
import { takeBack, UNDO_MS } from "./undo.ts";
import { uploaded } from "./uploads.ts";

/** Answers that a person writes under a submission. */
export const answerOperations = {
  /** The messages under a submission, with the whole text of mails that quote. Throws `submission_not_found`. */
  listThread: memberOperation({
    form: "kept",
    scopes: ["submissions:read"],
    body: z.strictObject({ submission_id: z.string(), latest: z.number().optional() }),
    handler: ({ core, caller, form, form_id, body }) =>
      listMessages(core, caller, form, form_id, body.submission_id, toThread, body.latest),
  }),
  /**
   * Sends an answer in ten seconds, with files that are uploaded for it. Throws the errors of `messages.send`, and those of
   * files.
   */
  composeMessage: memberOperation({
    form: "live",
    scopes: ["submissions:write"],
    body: InboxMessageCreate.extend({ submission_id: z.string() }),
    handler: ({ core, caller, form, body: { submission_id, files, idempotency_key = "", ...input } }) =>
      sendMessage(core, caller, form, submission_id, input, idempotency_key, {
        files: files.length,
        upload: files.length === 0 ? undefined : () => uploaded(core, form, files),
        delayMs: UNDO_MS,
      }),
  }),
  /** Takes an answer back before it goes out; null where it is too late. Throws `not_found`. */
  takeMessageBack: memberOperation({
    form: "live",
    scopes: ["submissions:write"],
    body: z.strictObject({ submission_id: z.string(), id: z.string().max(64) }),
    handler: ({ core, caller, body }) => takeBack(core, caller, body),
  }),
  /** A saved reply of the form's team for a submission as the person sees it. Throws `not_found`, `invalid_parameter`. */
  fillSavedReply: memberOperation({
    form: "live",
    scopes: ["submissions:read"],
    body: z.strictObject({
      id: z.string().max(64),
      submission: z.strictObject({ id: z.string(), created_at: z.string() }),
      fields: z.array(z.object({ key: z.string(), value: z.string() })),
    }),
    handler: async ({ core, form, body: { id, ...seen } }) => ({ text: await filled(core, form, id, seen) }),
  }),
  /** The uploads of a form that may go with its answers. */
  listAnswerFiles: memberOperation({
    form: "live",
    scopes: ["submissions:write"],
    handler: async ({ core, form }) =>
      (await imagesOf(core, form.id))
        .filter(({ value }) => value.use === "reply_attachment")
        .map(({ id, value }) => ({ id, name: fileNameOf(value), size: value.size })),
  }),
};
