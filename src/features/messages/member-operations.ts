import { z } from "zod";
import { memberOperation } from "../../core/member-operation.ts";
import { InboxMessageCreate } from "../../model/messages.ts";
import { imagesOf } from "../files/form-images.ts";
import { fileNameOf } from "../images/service.ts";
import { sendMessage } from "./send.ts";
import { takeBack, UNDO_MS } from "./undo.ts";

/** Answers that a person writes under a submission. */
export const answerOperations = {
  /**
   * Sends an answer in ten seconds, with files that are uploaded for it. Throws the errors of `messages.send`, and those of
   * files.
   */
  composeMessage: memberOperation({
    form: "live",
    scopes: ["submissions:write"],
    body: InboxMessageCreate.extend({ submission_id: z.string() }),
    handler: ({ core, caller, form, body: { submission_id, files, idempotency_key = "", ...input } }) =>
      sendMessage(core, caller, form, submission_id, input, idempotency_key, { files, delayMs: UNDO_MS }),
  }),
  /** Takes an answer back before it goes out; null where it is too late. Throws `not_found`. */
  takeMessageBack: memberOperation({
    form: "live",
    scopes: ["submissions:write"],
    body: z.strictObject({ submission_id: z.string(), id: z.string().max(64) }),
    handler: ({ core, caller, body }) => takeBack(core, caller, body),
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
