import { addresseeOf, type DeliveryStatus, type JobKind, type JobRecord } from "./jobs.ts";

/** Data of every event about an attempt. */
interface Attempt {
  /** The delivery's id: `webhook-id` of a webhook, and the id in `backend.jobs`. */
  id: string;
  /** The form. */
  form_id: string;
  /** The team of the form. */
  team_id: string;
  /** Empty for mails that no submission causes, such as a notice to an owner. */
  submission_id: string;
  /** The state after this attempt. */
  status: DeliveryStatus;
  /** Attempts so far. */
  attempt: number;
  /** `SUCCESS`, or the kind of error. */
  code: string;
  /** The failure in words; null for none. */
  message: string | null;
  /** The reply of the receiver or the mail server, if there was one. */
  http_status?: number;
  /** The network error, where it did not. */
  node_error_code?: string;
  /** The time of the attempt. */
  occurred_at: string;
  /** Null where this was the last one. */
  next_attempt_at: string | null;
}

/** Data of `delivery.*`: the result of an attempt at a webhook. */
export interface DeliveryEvent extends Attempt {
  /** The webhook. */
  webhook_id: string;
}

/** Data of `email.*`: the result of an attempt at a mail. */
export interface EmailEvent extends Attempt {
  /** The kind of mail. */
  kind: Exclude<JobKind, "webhook">;
  /** The recipient. */
  to: string;
}

export function toAttemptEvent(id: string, job: JobRecord): DeliveryEvent | EmailEvent {
  const { form_id, team_id, submission_id, status, attempt, code, occurred_at, kind } = job;
  const told: Attempt = {
    id,
    form_id,
    team_id,
    submission_id,
    status,
    attempt,
    code,
    message: job.message ?? null,
    ...(job.http_status !== undefined && { http_status: job.http_status }),
    ...(job.node_error_code !== undefined && { node_error_code: job.node_error_code }),
    occurred_at,
    next_attempt_at: job.due_at,
  };
  return kind === "webhook" ? { ...told, webhook_id: job.target } : { ...told, kind, to: addresseeOf(job) };
}
