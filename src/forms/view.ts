import type { Core } from "../core.ts";
import type { Stored } from "../drivers/storage/types.ts";
import type { WebhookState } from "../webhooks/schema.ts";
import { toWebhook } from "../webhooks/view.ts";
import type { Form, FormRecord } from "./schema.ts";

/** What a counter row holds. */
interface Tally {
  n: number;
  at: string;
}

export const formCounter = (form_id: string, month: string): string => `form:${form_id}:${month}`;
export const teamCounter = (team_id: string, month: string): string => `team:${team_id}:${month}`;
/** The UTC month of a timestamp, `2026-11`. */
export const monthOf = (timestamp: string): string => timestamp.slice(0, 7);

/** The API shape of forms, with their counts and the latest deliveries, in two reads for a whole page. */
export async function toForms(core: Core, rows: readonly Stored<FormRecord>[]): Promise<Form[]> {
  const month = monthOf(new Date(core.clock.now()).toISOString());
  const counterIds = rows.flatMap(({ id }) => [formCounter(id, "all"), formCounter(id, month)]);
  const webhookIds = rows.flatMap(({ value }) => value.webhooks.map(({ id }) => id));
  const [counters, states] = await Promise.all([
    core.storage.get("counters", counterIds),
    webhookIds.length > 0 ? core.storage.get("webhook_states", webhookIds) : new Map<string, Stored>(),
  ]);
  return rows.map(({ id, value }) => {
    const all = counters.get(formCounter(id, "all"))?.value as Tally | undefined;
    const now = counters.get(formCounter(id, month))?.value as Tally | undefined;
    const {
      allowed_origins: _,
      webhooks,
      spam,
      self_email_notification: mail,
      auto_response: { from_email: _hidden, ...reply },
      after_submit,
      ...rest
    } = value;
    return {
      ...rest,
      id,
      endpoint: endpointOf(core, id),
      last_submission_at: all?.at ?? null,
      submissions: { this_month: now?.n ?? 0, all_time: all?.n ?? 0 },
      spam: {
        protection: spam.protection,
        captcha: { provider: spam.captcha.provider, secret_key_set: spam.captcha.secret !== "" },
      },
      self_email_notification: {
        ...mail,
        template: { type: mail.template.html ? "custom" : "theme", ...mail.template },
        sender: { type: mail.sender.server_id ? "email_server" : "default", ...mail.sender },
      },
      auto_response: { ...reply, template: { type: reply.template.html ? "custom" : "theme", ...reply.template } },
      after_submit: { type: after_submit.redirect.success_url ? "redirect" : "page", ...after_submit },
      webhooks: webhooks.map((webhook) =>
        toWebhook(core, webhook, states.get(webhook.id)?.value as WebhookState | undefined),
      ),
    };
  });
}

/** Where the HTML form posts. */
export const endpointOf = (core: Core, id: string): string => `${core.options.baseUrl}/f/${id}`;
