import { z } from "zod";

export const DeliveryStatus = z.enum(["succeeded", "failed", "retrying", "pending", "skipped"]);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export const JobKind = z.enum(["webhook", "owner_email", "auto_response", "webhook_notice"]);
export type JobKind = z.infer<typeof JobKind>;

/** The latest outcome of one submission's delivery to one webhook. */
export const Delivery = z
  .object({
    submission_id: z.string(),
    webhook_id: z.string(),
    status: DeliveryStatus,
    code: z.string().describe("`SUCCESS`, or the kind of error of the last attempt."),
    attempt: z.int().min(0).describe("Attempts so far."),
    http_status: z.int().optional().describe("What the receiver answered, when it answered."),
    node_error_code: z.string().optional().describe("The network error, when it did not."),
    message: z.string().max(1024).optional().describe("Error text of the last attempt."),
    occurred_at: z.string().describe("When the last attempt ended; unique for each webhook."),
  })
  .meta({ id: "Delivery" });
export type Delivery = z.infer<typeof Delivery>;

/** What a team's owner is told of a webhook that keeps failing, frozen when it is decided. */
export interface WebhookNotice {
  webhook_id: string;
  /** When the failures began. */
  since: string;
  code: string;
  http_status?: number;
  node_error_code?: string;
}

/**
 * The row behind a delivery: one submission and one target, which is a webhook id or one email address. A notice to an owner
 * is such a row too, so that it is as durable as any mail; it has no submission (`""`).
 */
export interface JobRecord {
  kind: JobKind;
  lane: "webhook" | "email";
  target: string;
  form_id: string;
  team_id: string;
  submission_id: string;
  status: DeliveryStatus;
  code: string;
  attempt: number;
  /** Leases that ran out without a result. */
  lost: number;
  leased: boolean;
  /** When it is next due, null when terminal. */
  due_at: string | null;
  /** When it is given up. */
  deadline_at: string;
  /** Attempts before the window that runs now; left out in the first one. The schedule counts from here. */
  window_from?: number;
  http_status?: number;
  node_error_code?: string;
  message?: string;
  occurred_at: string;
  created_at: string;
  /** Frozen with the delivery, so that every attempt sends the same bytes. */
  event: string;
  spam: boolean;
  links_expire_at: string;
  /** Set where the form stores no submissions: the content goes when the last delivery has ended. */
  transient?: boolean;
  /** A redelivery asked for by a caller goes out whatever the webhook's `enabled` says. */
  forced?: boolean;
  /** Of kind `webhook_notice` only. */
  notice?: WebhookNotice;
}

/** The row as its API shape. */
export function toDelivery(job: JobRecord): Delivery {
  return {
    submission_id: job.submission_id,
    webhook_id: job.kind === "webhook" ? job.target : (job.notice?.webhook_id ?? ""),
    status: job.status,
    code: job.code,
    attempt: job.attempt,
    ...(job.http_status !== undefined && { http_status: job.http_status }),
    ...(job.node_error_code !== undefined && { node_error_code: job.node_error_code }),
    ...(job.message !== undefined && { message: job.message }),
    occurred_at: job.occurred_at,
  };
}
