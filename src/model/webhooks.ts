import { z } from "zod";
import { fixed, strict } from "../lib/input.ts";
import { block, flag, type Leaf, list, moment, nullable, oneOf, optional, text, time } from "../lib/leaves.ts";
import { Limit, Moment, Timestamp } from "../lib/wire.ts";
import { DestinationConfig, DestinationConfigInput, DestinationFormat } from "./destinations.ts";
import { Delivery, DeliveryStatus } from "./jobs.ts";
import { type Restriction, restrictionLeaf } from "./restriction.ts";

/** Events that a webhook can subscribe to. */
export const WebhookEvent = z.enum(["submission.created", "submission.updated", "message.received"]);

/** The formats that need nothing but a URL: signed JSON for code (`standard`, `flat`), or a message for a chat. */
const PlainFormat = z.enum([
  "standard",
  "flat",
  "slack",
  "discord",
  "teams",
  "telegram",
  "mattermost",
  "google_chat",
  "ntfy",
]);
export type PlainFormat = z.infer<typeof PlainFormat>;

/** The format of a webhook's requests: one that needs a URL alone, or a destination with a `config`. */
export const WebhookFormat = z.enum([...PlainFormat.options, ...DestinationFormat.options]);
export type WebhookFormat = z.infer<typeof WebhookFormat>;

/** Left out where it is `standard`. */
const StoredFormat = WebhookFormat.exclude(["standard"]);

export const LastDelivery = z.object({
  /** The time of the attempt. */
  at: Timestamp,
  /** The state of the delivery. */
  status: z.string(),
  /** The receiver's HTTP status; null without one. */
  response_status: z.int().nullable(),
  /** The number of the attempt, from 1. */
  attempt: z.int(),
});

/** A webhook, as every API returns it, without its secret. */
export const Webhook = z
  .object({
    /** The webhook's id. */
    id: z.string(),
    url: z.string().describe("Masked if it gives access to a chat: `https://hooks.slack.com/services/…abcd`."),
    format: StoredFormat.optional().describe("The format of requests; left out for `standard`."),
    config: DestinationConfig.optional().describe("The settings of a destination, with its secrets masked."),
    /** False while nothing is sent to it. */
    enabled: z.boolean(),
    /** A note for people. */
    description: z.string(),
    /** The events that it gets. */
    events: z.array(WebhookEvent),
    /** The signature of each request. */
    signing: z.object({
      /** The algorithm of the signature. */
      algorithm: z.literal("hmac-sha256"),
      header: z.string().describe("The header with the signature."),
    }),
    last_delivery: LastDelivery.nullable().describe("Null before the first one."),
    /** The time of its creation. */
    created_at: Timestamp,
  })
  .meta({ id: "Webhook" });
export type Webhook = z.infer<typeof Webhook>;

const Events = z.array(WebhookEvent).min(1).max(20);

export const WebhookCreate = z
  .strictObject({
    /** The address that gets the requests; https. Of a service with calls of its own, the table's address as the browser shows it. */
    url: z.string().min(1).max(2048).optional(),
    /** The shape of the body. */
    format: WebhookFormat.default("standard"),
    config: DestinationConfigInput.optional().describe("The settings of a destination; of its format's members alone."),
    /** False to send nothing yet. */
    enabled: z.boolean().default(true),
    /** A note for people. */
    description: z.string().max(500).default(""),
    /** The events that it gets. */
    events: Events.default(["submission.created"]),
  })
  .meta({ id: "WebhookCreate" });
export type WebhookCreate = z.input<typeof WebhookCreate>;

export const WebhookPatch = strict(
  {
    url: z.string().min(1).max(2048).describe("A masked URL leaves the stored one unchanged."),
    /** The shape of the body. */
    format: WebhookFormat,
    config: DestinationConfigInput.describe(
      "The members to change. A masked value leaves the stored one, null removes one.",
    ),
    /** False while nothing is sent to it. */
    enabled: z.boolean(),
    /** A note for people. */
    description: z.string().max(500),
    /** The events that it gets. */
    events: Events,
  },
  {
    ...fixed("id", "signing", "last_delivery", "created_at"),
    secret: "is read-only here; `POST …/rotate-secret` gives a new one",
  },
)
  .partial()
  .meta({ id: "WebhookPatch" });
export type WebhookPatch = z.input<typeof WebhookPatch>;

export const WebhookId = z.string().min(1);
export const WebhookList = z
  .object({
    /** The webhooks of the form. */
    data: z.array(Webhook),
  })
  .meta({ id: "WebhookList" });
export const WebhookDeleted = z
  .object({
    /** The id of the deleted webhook. */
    id: z.string(),
    /** Always true. */
    deleted: z.literal(true),
  })
  .meta({ id: "WebhookDeleted" });
export type WebhookDeleted = z.infer<typeof WebhookDeleted>;

/** Input for a new secret of a webhook. */
export const RotateSecret = z
  .strictObject({
    expire_previous: z
      .boolean()
      .default(false)
      .describe("Expires the old secrets immediately, for example after a leak."),
  })
  .meta({ id: "RotateSecret" });
export type RotateSecret = z.output<typeof RotateSecret>;

/** The only response with the secret, at creation and rotation. */
export const WebhookWithSecret = Webhook.extend({ secret: z.string().describe("Shown only once.") }).meta({
  id: "WebhookWithSecret",
});

/** Result of a test event: the receiver's status, or the network error if there was no response. */
export const WebhookTest = z
  .object({
    /** True if the receiver responded with a 2xx. */
    delivered: z.boolean(),
    http_status: z.int().nullable().describe("Null if the receiver did not respond."),
    node_error_code: z.string().nullable().describe("The network error, if there was no response."),
    /** The time that the receiver took, in milliseconds. */
    duration_ms: z.int().min(0),
    message: z
      .string()
      .optional()
      .describe("The words of the receiver or of the fault; left out where there are none."),
  })
  .meta({ id: "WebhookTest" });
export type WebhookTest = z.infer<typeof WebhookTest>;

export const DeliveryListQuery = z.strictObject({
  /** Only deliveries in this state. */
  status: DeliveryStatus.optional(),
  limit: Limit,
  before: Moment.optional().describe("Before this moment. For the next page, send the last `occurred_at`."),
});
export type DeliveryListQuery = z.output<typeof DeliveryListQuery>;

export const DeliveryList = z
  .object({
    /** The deliveries of this page, newest first. */
    data: z.array(Delivery),
    /** True where another page follows. */
    has_more: z.boolean(),
  })
  .meta({ id: "DeliveryList" });
export type DeliveryList = z.infer<typeof DeliveryList>;

/** The deliveries to send again: those with one of these statuses, since a time at most 14 days ago. */
export const RecoverInput = z
  .strictObject({
    since: Moment.describe("At most 14 days ago."),
    /** The states of the jobs to start again. */
    statuses: z
      .array(z.enum(["failed", "skipped"]))
      .min(1)
      .default(["failed", "skipped"]),
  })
  .meta({ id: "RecoverInput" });
export type RecoverInput = z.output<typeof RecoverInput>;

/** The number of deliveries that are sent again. */
export const Recovered = z
  .object({
    /** Jobs that were started again. */
    recovered: z.int().min(0),
    has_more: z.boolean().describe("One call resends at most 10,000; while this is true, call again."),
  })
  .meta({ id: "Recovered" });
export type Recovered = z.infer<typeof Recovered>;

/** A webhook in its form's record; secrets are sealed, the newest first, old ones with an expiry time. */
export interface WebhookRecord {
  id: string;
  /** Masked where `sealed_url` has the whole one. */
  url: string;
  sealed_url?: string;
  /** Left out for `standard`. */
  format?: z.infer<typeof StoredFormat>;
  /** The settings of a destination, with its secrets masked; `sealed_config` is the whole of it. */
  config?: DestinationConfig;
  sealed_config?: string;
  enabled: boolean;
  description: string;
  events: z.infer<typeof WebhookEvent>[];
  secrets: { sealed: string; until: string | null }[];
  created_at: string;
  /** Left out for one that gets every field that the policies show to webhooks. */
  restriction?: Restriction;
}

/** An object that this version wrote, masked, for answers alone. */
const shownConfig: Leaf<DestinationConfig> = block<DestinationConfig>({} as never);

/**
 * Reads a webhook from its form's row. Without a URL or a secret its deliveries fail with a clear message until it gets a new
 * one; the form itself stays readable.
 */
export const webhookLeaf = block<WebhookRecord>({
  id: text(),
  url: text(""),
  sealed_url: optional(text()),
  format: optional(oneOf(StoredFormat.options)),
  config: optional(shownConfig),
  sealed_config: optional(text()),
  enabled: flag(true),
  description: text(""),
  events: list(oneOf(WebhookEvent.options), ["submission.created"]),
  secrets: list(block<WebhookRecord["secrets"][number]>({ sealed: text(""), until: nullable(time()) })),
  created_at: moment(),
  restriction: optional(restrictionLeaf),
});
