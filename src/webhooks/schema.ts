import { z } from "zod";
import { Timestamp } from "../lib/wire.ts";

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
    signing: z.object({ algorithm: z.literal("hmac-sha256"), header: z.string() }),
    last_delivery: LastDelivery.nullable(),
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
  failing_since: string | null;
}
