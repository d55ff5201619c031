import { z } from "zod";
import { Delivery, DeliveryStatus } from "../jobs/schema.ts";
import { Limit, Moment, Timestamp } from "../lib/wire.ts";

/** What a webhook can subscribe to. */
export const WebhookEvent = z.enum(["submission.created"]);

export const LastDelivery = z.object({
  at: Timestamp,
  status: z.string(),
  response_status: z.int().nullable(),
  attempt: z.int(),
});

/** A webhook as every API answers it; its secret is never among it. */
export const Webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    enabled: z.boolean(),
    description: z.string(),
    events: z.array(WebhookEvent),
    signing: z.object({
      algorithm: z.literal("hmac-sha256"),
      header: z.string().describe("Where the signature stands."),
    }),
    last_delivery: LastDelivery.nullable().describe("Null before the first one."),
    created_at: Timestamp,
  })
  .meta({ id: "Webhook" });
export type Webhook = z.infer<typeof Webhook>;

const Events = z.array(WebhookEvent).min(1).max(20);

export const WebhookCreate = z
  .strictObject({
    url: z.string().min(1).max(2048),
    enabled: z.boolean().default(true),
    description: z.string().max(500).default(""),
    events: Events.default(["submission.created"]),
  })
  .meta({ id: "WebhookCreate" });
export type WebhookCreate = z.input<typeof WebhookCreate>;

export const WebhookPatch = z
  .strictObject({
    url: z.string().min(1).max(2048),
    enabled: z.boolean(),
    description: z.string().max(500),
    events: Events,
  })
  .partial()
  .meta({ id: "WebhookPatch" });
export type WebhookPatch = z.input<typeof WebhookPatch>;

export const WebhookId = z.string().min(1);
export const WebhookList = z.object({ data: z.array(Webhook) }).meta({ id: "WebhookList" });
export const WebhookDeleted = z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: "WebhookDeleted" });
export type WebhookDeleted = z.infer<typeof WebhookDeleted>;

/** The one answer that holds the secret, at creation and rotation. */
export const WebhookWithSecret = Webhook.extend({ secret: z.string().describe("Shown this once.") }).meta({
  id: "WebhookWithSecret",
});

/** How a test event went: the status that the receiver answered, or the network error where it did not answer. */
export const WebhookTest = z
  .object({
    delivered: z.boolean(),
    http_status: z.int().nullable().describe("Null where the receiver did not answer."),
    node_error_code: z.string().nullable().describe("The network error, where it did not."),
    duration_ms: z.int().min(0),
  })
  .meta({ id: "WebhookTest" });
export type WebhookTest = z.infer<typeof WebhookTest>;

export const DeliveryListQuery = z.strictObject({
  status: DeliveryStatus.optional(),
  limit: Limit,
  before: Moment.optional().describe("Earlier than this moment: the last `occurred_at` of a page leads to the next."),
});
export type DeliveryListQuery = z.output<typeof DeliveryListQuery>;

export const DeliveryList = z.object({ data: z.array(Delivery), has_more: z.boolean() }).meta({ id: "DeliveryList" });
export type DeliveryList = z.infer<typeof DeliveryList>;

/** Which deliveries to send again: those that ended so, since a moment at most 14 days ago. */
export const RecoverInput = z.strictObject({
  since: Moment,
  statuses: z
    .array(z.enum(["failed", "skipped"]))
    .min(1)
    .default(["failed", "skipped"]),
});
export type RecoverInput = z.output<typeof RecoverInput>;

/** How many are sent again; `has_more`: there are more than one call takes. */
export interface Recovered {
  recovered: number;
  has_more: boolean;
}

/** A webhook as its form keeps it; secrets are sealed, the newest first, old ones with an end. */
export interface WebhookRecord {
  id: string;
  url: string;
  enabled: boolean;
  description: string;
  events: z.infer<typeof WebhookEvent>[];
  secrets: { sealed: string; until: string | null }[];
  created_at: string;
}

/** What traffic changes of a webhook, kept apart from its configuration. */
export interface WebhookState {
  last_delivery: z.infer<typeof LastDelivery> | null;
  /** The greatest `occurred_at` handed out, so that no two deliveries of a webhook share one. */
  last_occurred_at: string;
  /** Its failures since the last success; null where there are none. */
  failing: FailingStreak | null;
}

/** Attempts that failed with no success among them. */
export interface FailingStreak {
  /** When the first of them ended, and the latest. */
  since: string;
  latest: string;
  /** Whether one of the deliveries was given up. */
  failed: boolean;
  /** Whether the owner was told. */
  warned: boolean;
}
