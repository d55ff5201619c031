import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import type { JobRecord } from "../../model/jobs.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { messagesFor, toMessage } from "../messages/shown.ts";
import { eventOf as submissionEvent } from "../submissions/event.ts";
import type { FormatEvent } from "../webhooks/formats/types.ts";

/** The content of a delivery, fixed with it: the submission, and the message that it is about, if it is one. */
export function eventOf(
  core: Core,
  form: Row<"forms">,
  job: JobRecord,
  submission: SubmissionRecord,
): Promise<FormatEvent> {
  const { message_id } = job;
  const event = submissionEvent(core, form, job, submission);
  return message_id === undefined ? event : withMessage(core, form, job, submission, message_id, event);
}

async function withMessage(
  core: Core,
  form: Row<"forms">,
  job: JobRecord,
  submission: SubmissionRecord,
  message_id: string,
  about: Promise<FormatEvent>,
): Promise<FormatEvent> {
  const event = await about;
  const row = await core.rows.batched("messages", message_id);
  if (!row) return event;
  const webhook = form.value.webhooks.find(({ id }) => id === job.target);
  const restriction = webhook?.restriction ?? {};
  const held = { id: job.submission_id, value: submission };
  const expires = Date.parse(job.links_expire_at);
  const [message] = await messagesFor(
    core,
    restriction,
    form.value,
    held,
    [toMessage(core, row, undefined, expires)],
    "webhook",
  );
  return { ...event, ...(message && { message }) };
}
