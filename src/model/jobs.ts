import { z } from "zod";
import { block, flag, keyOf, list, moment, nullable, number, oneOf, optional, text, time } from "../lib/leaves.ts";
import { type Attempt, attemptLeaf } from "./attempts.ts";
import { deliveryStatuses } from "./collections.ts";
import { type HostNote, hostNoteLeaf } from "./host-note.ts";
import { type JobOutcome, outcomeLeaf } from "./outcome.ts";
import { type OwnerBounce, ownerBounceLeaf, type PlanExceeded, planExceededLeaf } from "./owner-notices.ts";
import { type Pause, pauseLeaf } from "./pause.ts";

export const DeliveryStatus = z.enum(deliveryStatuses);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

/** Properties of a kind that planning and settling need. `deliveries/kinds.ts` defines how its jobs run. */
export interface JobKindFacts {
  /** The lane of its jobs: a separate queue with its own slots. */
  readonly lane: string;
}

/** The lane of deliveries to services that take several at a time: none of them has to wait behind a slow one of `webhook`. */
export const BATCH_LANE = "batch";

/** Every kind of job. */
export const jobKinds = {
  webhook: { lane: "webhook" },
  host_webhook: { lane: "webhook" },
  owner_email: { lane: "email" },
  auto_response: { lane: "email" },
  reply: { lane: "email" },
  forward: { lane: "email" },
  confirmation: { lane: "email" },
  webhook_notice: { lane: "email" },
  plan_notice: { lane: "email" },
  bounce_notice: { lane: "email" },
  summary: { lane: "email" },
  digest: { lane: "email" },
  recipient_confirmation: { lane: "email" },
} satisfies Record<string, JobKindFacts>;

export type JobKind = keyof typeof jobKinds;
const kindNames = Object.keys(jobKinds) as [JobKind, ...JobKind[]];
export const JobKind = z.enum(kindNames);

/** Kinds of requests to a webhook; all others are mails. */
export type WebhookKind = "webhook" | "host_webhook";
/** True for a request to a webhook of a form or of the host; false for a mail. */
export const isToWebhook = ({ kind }: Pick<JobRecord, "kind">): boolean =>
  kind === "webhook" || kind === "host_webhook";

/** The latest outcome of one submission's delivery to one webhook. */
export const Delivery = z
  .object({
    /** The submission that was sent. */
    submission_id: z.string(),
    /** The webhook it was sent to. */
    webhook_id: z.string(),
    /** The state of the delivery. */
    status: DeliveryStatus,
    code: z.string().describe("`SUCCESS`, or what went wrong in the last attempt."),
    attempt: z.int().min(0).describe("Attempts so far."),
    http_status: z.int().optional().describe("The receiver's status, if it responded."),
    node_error_code: z.string().optional().describe("The network error, if there was no response."),
    message: z
      .string()
      .max(1024)
      .optional()
      .describe(
        "Error text of the last attempt, without what it repeats of the request; missing once the submission is deleted, and always if the form has a field policy or stores no submissions.",
      ),
    occurred_at: z.string().describe("Time when the last attempt ended; unique for each webhook."),
  })
  .meta({ id: "Delivery" });
export type Delivery = z.infer<typeof Delivery>;

/** The content of a notice to a team's owner about a webhook that keeps failing, fixed when the notice is planned. */
export interface WebhookNotice {
  webhook_id: string;
  /** Time of the first failure. */
  since: string;
  code: string;
  http_status?: number;
  node_error_code?: string;
  /** The receiver said that nothing sent there will arrive any more. */
  gone?: boolean;
  /** The step that the owner has to take first. */
  pause?: Pause;
}

/** The `target` of mail that goes over the mailer's own server. */
export const DEFAULT_SERVER = "default";

/** Further recipients of one message. */
export interface Copies {
  /** In its To, after the job's own `to`. */
  to: string[];
  cc: string[];
  bcc: string[];
}

/**
 * The row of a delivery: one submission, and a webhook or one email address. A notice to an owner has such a row too, so it is
 * as durable as any mail; its `submission_id` is `""`.
 */
export interface JobRecord {
  kind: JobKind;
  lane: string;
  /**
   * Claims are shared fairly between targets, so a slow one delays nobody else. The webhook, or the server that sends the mail
   * (an email server's id or `default`). For a waiting mail, the name of its wait.
   */
  target: string;
  /** The address, of mails only. */
  to?: string;
  /** The others that the same message goes to. */
  copies?: Copies;
  form_id: string;
  team_id: string;
  submission_id: string;
  status: DeliveryStatus;
  code: string;
  attempt: number;
  /** Leases that ran out without a result. */
  lost: number;
  /** `lost` as its last run begins: if that lease runs out as well, the run has ended its process. */
  last_chance?: number;
  /** A run that was not counted may have written to its service: the next one looks there first. */
  unsure?: boolean;
  leased: boolean;
  /** Next due time, null when terminal. */
  due_at: string | null;
  /** Time after which it fails without another attempt. */
  deadline_at: string;
  /** Attempts before the window that runs now; left out in the first one. The schedule counts from here. */
  window_from?: number;
  http_status?: number;
  node_error_code?: string;
  message?: string;
  /** The latest ones, oldest first; none in records of before they were kept. */
  attempts?: Attempt[];
  occurred_at: string;
  created_at: string;
  /** Frozen with the delivery, so that every attempt sends the same bytes. */
  event: string;
  /** Of the event `submission.updated`: the members that changed. */
  changed?: string[];
  spam: boolean;
  links_expire_at: string;
  /** Set if the form stores no submissions: the content is removed after the last delivery. */
  transient?: boolean;
  /** A redelivery that a caller requested is sent even if the webhook is disabled. */
  forced?: boolean;
  /** A caller asked for it again while an attempt ran, so it is sent once more after that, whatever the result. */
  again?: boolean;
  /** The span of the post that caused it, as a `traceparent`; only where the host records spans. */
  trace?: string;
  /** Of kind `host_webhook` only. */
  host?: HostNote;
  /** Of kind `webhook_notice` only. */
  notice?: WebhookNotice;
  /** The result of the mail that includes this one: the next run uses it. */
  result?: JobOutcome;
  /** Of kind `plan_notice` only. */
  exceeded?: PlanExceeded;
  /** Of kind `bounce_notice` only. */
  bounce?: OwnerBounce;
  /** The message that it is about, where that is not the submission. */
  message_id?: string;
}

/**
 * Reads a job from the store. Without a deadline it is tried once more. Content and recipient are required, because a guess
 * could send somebody's message to somebody else.
 */
export const jobLeaf = block<JobRecord>({
  kind: keyOf(jobKinds),
  lane: text(),
  target: text(),
  to: optional(text()),
  copies: optional(block<Copies>({ to: list(text()), cc: list(text()), bcc: list(text()) })),
  form_id: text(),
  team_id: text(),
  submission_id: text(),
  status: oneOf(DeliveryStatus.options, "pending"),
  code: text("PENDING"),
  attempt: number(0),
  lost: number(0),
  last_chance: optional(number()),
  unsure: optional(flag()),
  leased: flag(false),
  due_at: nullable(time()),
  deadline_at: moment(),
  window_from: optional(number()),
  http_status: optional(number()),
  node_error_code: optional(text()),
  message: optional(text()),
  attempts: optional(list(attemptLeaf)),
  occurred_at: moment(),
  created_at: moment(),
  event: text("submission.created"),
  changed: optional(list(text(""))),
  spam: flag(false),
  links_expire_at: moment(),
  transient: optional(flag()),
  forced: optional(flag()),
  again: optional(flag()),
  trace: optional(text()),
  host: optional(hostNoteLeaf),
  notice: optional(
    block<WebhookNotice>({
      webhook_id: text(),
      since: moment(),
      code: text(""),
      http_status: optional(number()),
      node_error_code: optional(text()),
      gone: optional(flag()),
      pause: optional(pauseLeaf),
    }),
  ),
  result: optional(outcomeLeaf),
  message_id: optional(text()),
  bounce: optional(ownerBounceLeaf),
  exceeded: optional(planExceededLeaf),
});

/** The recipient of a delivery: a webhook's id or an address. */
export const addresseeOf = ({ to, target }: JobRecord): string => to ?? target;

/** Every address that a mail goes to. */
export const allRecipients = ({ to, copies }: Pick<JobRecord, "to" | "copies">): string[] => [
  ...(to === undefined ? [] : [to]),
  ...(copies ? [...copies.to, ...copies.cc, ...copies.bcc] : []),
];

/** The row as its API shape. */
export function toDelivery(job: JobRecord): Delivery {
  return {
    submission_id: job.submission_id,
    webhook_id: isToWebhook(job) ? job.target : (job.notice?.webhook_id ?? ""),
    status: job.status,
    code: job.code,
    attempt: job.attempt,
    ...(job.http_status !== undefined && { http_status: job.http_status }),
    ...(job.node_error_code !== undefined && { node_error_code: job.node_error_code }),
    ...(job.message !== undefined && { message: job.message }),
    occurred_at: job.occurred_at,
  };
}
