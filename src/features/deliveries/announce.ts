import type { Core } from "../../core/core.ts";
import type { LogFields } from "../../core/options/types.ts";
import { maskEmail, maskEmails } from "../../lib/email.ts";
import { safeMessage } from "../../lib/message.ts";
import { toAttemptEvent } from "../../model/job-events.ts";
import { addresseeOf, isToWebhook, type JobRecord } from "../../model/jobs.ts";
import type { JobOutcome } from "../../model/outcome.ts";
import { adviceFor } from "../mail/advice.ts";
import { replyNumbers } from "../mail/reply-numbers.ts";
import { kinds } from "./kinds.ts";

/**
 * Attempts whose failure is logged as a warning, besides the last one: the first, and one late enough to rule out a short
 * hiccup.
 */
const WARNED = [1, 4];

/** Reports the result of an attempt once it is stored: counters, events and the log. */
export function announce(core: Core, id: string, job: JobRecord, { ours }: Pick<JobOutcome, "ours">): void {
  const { kind, status, team_id } = job;
  core.telemetry.count("form_backend.deliveries", { kind, status, code: job.code, team_id });
  const event = kinds[kind].events[status];
  if (!event) return;
  log(core, id, job, reasonOf(job, ours));
  core.events.emit(event, toAttemptEvent(id, job));
}

function log({ options: { logger } }: Core, id: string, job: JobRecord, reason: string): void {
  const { attempt, status } = job;
  // Attempts of the current window: a delivery sent again by hand is reported like a new one.
  const nth = attempt - (job.window_from ?? 0);
  const about = `${nameOf(job)}${job.form_id && ` of form ${job.form_id}`}`;
  if (status === "succeeded") {
    // Somebody has read that it failed, so a success is logged too.
    logger[nth > 1 ? "info" : "debug"](`${about}: succeeded at attempt ${attempt}`, fieldsOf(id, job, reason));
    return;
  }
  const next =
    status === "retrying"
      ? `the next one is at ${job.due_at}`
      : `it was the last one; backend.jobs.retry("${id}") sends it again`;
  const level = status === "failed" || WARNED.includes(nth) ? "warn" : "debug";
  logger[level](
    `${about}: attempt ${attempt} failed, ${job.code}${toldOf(job, reason)}; ${next}`,
    fieldsOf(id, job, reason),
  );
}

const nameOf = (job: JobRecord): string =>
  isToWebhook(job) ? `webhook ${job.target}` : `email (${job.kind}) to ${maskEmail(addresseeOf(job))}`;

function toldOf(job: JobRecord, reason: string): string {
  const toDo = isToWebhook(job) ? null : adviceFor(job.code, job.target);
  return `${reason ? `: ${reason.replace(/[.\s]+$/, "")}` : ""}${toDo ? ` (${toDo})` : ""}`;
}

/**
 * The failure for the log: our own words, or the numbers of a reply and nothing of its text. Receivers and mail servers repeat
 * what they were sent.
 */
function reasonOf(job: JobRecord, ours = false): string {
  const { message = "", http_status, node_error_code } = job;
  if (ours) return maskEmails(safeMessage(message));
  if (http_status === undefined) return node_error_code ?? "";
  if (isToWebhook(job)) return `HTTP ${http_status}`;
  return replyNumbers(http_status, message);
}

function fieldsOf(id: string, job: JobRecord, reason: string): LogFields {
  const { kind, form_id, team_id, submission_id, attempt, code } = job;
  return {
    delivery_id: id,
    kind,
    form_id,
    team_id,
    submission_id,
    ...(isToWebhook(job) ? { webhook_id: job.target } : { to: maskEmail(addresseeOf(job)) }),
    attempt,
    code,
    message: reason,
    next_attempt_at: job.due_at,
  };
}
