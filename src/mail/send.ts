import type { Core } from "../core.ts";
import { MailError } from "../drivers/mailer/types.ts";
import type { FormRecord } from "../forms/schema.ts";
import { type JobOutcome, skipped } from "../jobs/outcome.ts";
import type { JobRecord } from "../jobs/schema.ts";
import { TemplateError } from "../lib/template.ts";
import { contentOf } from "../submissions/content.ts";
import type { TeamRecord } from "../teams/schema.ts";
import { ownerMail, replyMail } from "./compose.ts";
import type { Letter, MailKind } from "./letter.ts";
import { noticeMail } from "./notice.ts";
import { mayReply } from "./reply-guard.ts";
import { senderOf } from "./sender.ts";

/** Sends the mail of one job. Temporary faults are retried by the schedule, permanent ones end the job. */
export async function sendMail(core: Core, jobId: string, job: JobRecord, signal: AbortSignal): Promise<JobOutcome> {
  const { kind } = job;
  if (kind === "webhook") throw new TypeError("[form-backend] a webhook is not a mail");
  if (kind === "webhook_notice") {
    const notice = await noticeMail(core, jobId, job);
    return typeof notice === "string" ? skipped(notice) : outcomeOf(core.mailer.send(notice, { signal }));
  }
  const form = await core.findJoined<FormRecord>("forms", job.form_id);
  const submission = await contentOf(core, job.submission_id);
  if (!submission) return skipped("SKIPPED_SUBMISSION_DELETED");
  if (!form) return skipped("SKIPPED_FORM_DELETED");
  if (!(await core.findJoined<TeamRecord>("teams", job.team_id))?.value.active) return skipped("SKIPPED_TEAM_INACTIVE");
  const unwanted = notWanted(form.value, job);
  if (unwanted) return skipped(unwanted);
  if (kind === "auto_response" && !(await mayReply(core, jobId, job.target)))
    return skipped("SKIPPED_RECIPIENT_RATE_LIMITED");
  const letter = {
    form,
    submission_id: job.submission_id,
    submission: { ...submission, spam: job.spam },
    to: job.target,
    jobId,
    links_expire_at: job.links_expire_at,
  };
  return outcomeOf(sendLetter(core, kind, letter, signal));
}

async function outcomeOf(sending: Promise<unknown>): Promise<JobOutcome> {
  try {
    await sending;
    return { status: "succeeded", code: "SUCCESS" };
  } catch (error) {
    // The owner can mend a template within the three days of retries, and then nothing is lost.
    if (error instanceof TemplateError) {
      return { status: "retry", code: "ERROR_EMAIL_TEMPLATE", message: `The template ${error.message}.` };
    }
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

/** Composes and hands over one mail, with the sender of its form. Throws `MailError` and `TemplateError`. */
export async function sendLetter(
  core: Core,
  kind: MailKind,
  letter: Omit<Letter, "core" | "from">,
  signal?: AbortSignal,
): Promise<void> {
  const { from, server } = await senderOf(core, letter.form.value, kind);
  const compose = kind === "auto_response" ? replyMail : ownerMail;
  await core.mailer.send(compose({ ...letter, core, from }), { server, signal });
}

/** Why a mail stopped being wanted since it was planned; null while it still is. */
function notWanted({ self_email_notification: mail, auto_response: reply }: FormRecord, job: JobRecord): string | null {
  if (!(job.kind === "auto_response" ? reply : mail).enabled) return "SKIPPED_EMAIL_DISABLED";
  const target = job.target.toLowerCase();
  const known = job.kind === "auto_response" || mail.recipients.some((address) => address.toLowerCase() === target);
  return known ? null : "SKIPPED_NO_RECIPIENT";
}
