import type { z } from "zod";
import { block, flag, moment, nullable, number, text } from "../lib/leaves.ts";
import type { LastDelivery } from "./webhooks.ts";

/** The state of a webhook that deliveries change, stored apart from its configuration. */
export interface WebhookState {
  last_delivery: z.infer<typeof LastDelivery> | null;
  /** The greatest `occurred_at` handed out, so that no two deliveries of a webhook share one. */
  last_occurred_at: string;
  /** Failures since the last success; null if there are none. */
  failing: FailingStreak | null;
}

/** Attempts that failed with no success among them. */
export interface FailingStreak {
  /** Times of the first and the latest failed attempt. */
  since: string;
  latest: string;
  /** True if one of the deliveries was given up. */
  failed: boolean;
  /** True if the owner was told. */
  warned: boolean;
}

/** Reads a webhook's state from the store. */
export const webhookStateLeaf = block<WebhookState>({
  last_delivery: nullable(
    block<z.infer<typeof LastDelivery>>({
      at: moment(),
      status: text(""),
      response_status: nullable(number()),
      attempt: number(0),
    }),
  ),
  last_occurred_at: moment(),
  failing: nullable(
    block<FailingStreak>({ since: moment(), latest: moment(), failed: flag(false), warned: flag(false) }),
  ),
});
