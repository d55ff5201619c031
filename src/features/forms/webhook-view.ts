import type { Core } from "../../core/core.ts";
import type { WebhookState } from "../../model/webhook-state.ts";
import type { Webhook, WebhookRecord } from "../../model/webhooks.ts";

/** The API shape of a webhook, without secrets. */
export function toWebhook(core: Core, webhook: WebhookRecord, state: WebhookState | undefined): Webhook {
  const { secrets: _, sealed_url: __, sealed_config: ___, ...rest } = webhook;
  return {
    ...rest,
    signing: { algorithm: "hmac-sha256", header: core.options.brand.signatureHeader },
    last_delivery: state?.last_delivery ?? null,
  };
}
