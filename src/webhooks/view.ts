import type { Core } from "../core.ts";
import type { Webhook, WebhookRecord, WebhookState } from "./schema.ts";

/** The API shape of a webhook; secrets stay behind. */
export function toWebhook(core: Core, webhook: WebhookRecord, state: WebhookState | undefined): Webhook {
  const { secrets: _, ...rest } = webhook;
  return {
    ...rest,
    signing: { algorithm: "hmac-sha256", header: core.options.brand.signatureHeader },
    last_delivery: state?.last_delivery ?? null,
  };
}
