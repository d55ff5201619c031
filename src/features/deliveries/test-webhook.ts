import type { Core } from "../../core/core.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import { prefixedId } from "../../lib/id.ts";
import { isService, type ServiceFormat } from "../../model/destinations.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { WebhookRecord } from "../../model/webhooks.ts";
import { webhookOf } from "../forms/webhooks.ts";
import type { FormatEvent } from "../webhooks/formats/types.ts";
import { serviceOf } from "./entries.ts";
import { type Message, post } from "./webhook.ts";

/** Sends one `submission.test` event now and returns the result; nothing is logged or retried. Throws `webhook_not_found`. */
export async function testWebhook(core: Core, form: Stored<FormRecord>, id: string) {
  const webhook = webhookOf(form.value, id);
  const now = iso(core.clock.now());
  const submission = {
    id: core.sortableId(core.clock.now()),
    form_id: form.id,
    created_at: now,
    spam: false,
    ip: null,
    country: null,
    user_agent: null,
    referer: null,
    fields: [{ key: "message", value: "This is a test." }],
    attachments: [],
  };
  const event = { type: "submission.test", form: { id: form.id, name: form.value.name }, submission };
  if (isService(webhook.format)) return testService(core, webhook, webhook.format, event);
  const body: Message["body"] = (format, url) => format.body(event, url);
  const message = { id: prefixedId("msg"), attempt: 1, type: event.type, body };
  const attempt = await post(core, webhook, message);
  const isOfService = webhook.format !== undefined && webhook.format !== "flat";
  return {
    delivered: attempt.end === "delivered",
    http_status: attempt.http_status ?? null,
    node_error_code: attempt.node_error_code ?? null,
    duration_ms: Math.round(attempt.duration_ms),
    // The words of a service help its owner; a program may repeat what it was sent.
    ...(isOfService && attempt.message !== "" && { message: attempt.message }),
  };
}

async function testService(core: Core, webhook: WebhookRecord, format: ServiceFormat, event: FormatEvent) {
  const began = performance.now();
  const { outcome, status } = await (await serviceOf(core, webhook, format)).write(event);
  return {
    delivered: outcome.status === "succeeded",
    http_status: status ?? null,
    node_error_code: outcome.node_error_code ?? null,
    duration_ms: Math.round(performance.now() - began),
    ...(outcome.message && { message: outcome.message }),
  };
}
