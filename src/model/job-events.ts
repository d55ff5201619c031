import {
  addresseeOf,
  type DeliveryStatus,
  isToWebhook,
  type JobKind,
  type JobRecord,
  type WebhookKind,
} from "./jobs.ts";

/** Data of every event about an attempt. */
interface Attempt {
  /** The delivery's id: `webhook-id` of a webhook, and the id in `backend.jobs`. */
  id: string;
  /** The form; empty for a webhook of the host's. */
  form_id: string;
  /** The team of the form; empty for a webhook of the host's. */
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
  /** The webhook; one of the host's begins with `host_`. */
  webhook_id: string;
}

/** Data of `email.*`: the result of an attempt at a mail. */
export interface EmailEvent extends Attempt {
  /** The kind of mail. */
  kind: Exclude<JobKind, WebhookKind>;
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
  return isToWebhook(job)
    ? { ...told, webhook_id: job.target }
    : { ...told, kind: kind as EmailEvent["kind"], to: addresseeOf(job) };
}
