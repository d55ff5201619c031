import { type Core, find } from "../core.ts";
import { MailError } from "../drivers/mailer/types.ts";
import type { FormRecord } from "../forms/schema.ts";
import { type JobOutcome, skipped } from "../jobs/outcome.ts";
import type { JobRecord } from "../jobs/schema.ts";
import { contentOf } from "../submissions/content.ts";
import { ownerMail, replyMail } from "./compose.ts";

/** Sends the mail of one job. Temporary faults are retried by the schedule, permanent ones end the job. */
export async function sendMail(core: Core, jobId: string, job: JobRecord, signal: AbortSignal): Promise<JobOutcome> {
  const form = await find<FormRecord>(core, "forms", job.form_id);
  const submission = await contentOf(core, job.submission_id);
  if (!submission) return skipped("SKIPPED_SUBMISSION_DELETED");
  if (!form) return skipped("SKIPPED_FORM_DELETED");
  const letter = { core, form, submission_id: job.submission_id, submission, to: job.target, jobId };
  try {
    await core.mailer.send(job.kind === "auto_response" ? replyMail(letter) : ownerMail(letter), { signal });
    return { status: "succeeded", code: "SUCCESS" };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return {
      status: error.temporary ? "retry" : "failed",
      code: error.code,
      message: error.message,
      http_status: error.status,
      node_error_code: error.nodeErrorCode,
      slow: error.code === "ERROR_EMAIL_TIMEOUT",
    };
  }
}
