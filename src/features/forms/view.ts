import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { monthOf } from "../../lib/clock.ts";
import { settingsOf } from "../../model/form-record.ts";
import type { HostForm } from "../../model/forms.ts";
import { facing } from "../teams/face.ts";
import { formCounter } from "./counters.ts";
import { toWebhook } from "./webhook-view.ts";

/** The API shape of forms, with their counts and the latest deliveries, in two reads for a whole page. */
export async function toForms(core: Core, rows: readonly Row<"forms">[]): Promise<HostForm[]> {
  const month = monthOf(new Date(core.clock.now()).toISOString());
  const counterIds = rows.flatMap(({ id }) => [formCounter(id, "all"), formCounter(id, month)]);
  const webhookIds = rows.flatMap(({ value }) => value.webhooks.map(({ id }) => id));
  const [counters, states] = await Promise.all([
    core.rows.many("counters", counterIds),
    webhookIds.length > 0 ? core.rows.many("webhook_states", webhookIds) : new Map<string, Row<"webhook_states">>(),
  ]);
  // Those of a page are mostly of one team.
  const faces = new Map<string, Core>();
  for (const { value } of rows) {
    if (!faces.has(value.team_id)) faces.set(value.team_id, await facing(core, value.team_id));
  }
  return rows.map(({ id, value }) => {
    const face = faces.get(value.team_id) ?? core;
    const all = counters.get(formCounter(id, "all"))?.value;
    const now = counters.get(formCounter(id, month))?.value;
    const {
      allowed_origins: _,
      unique_key: _key,
      restrictions: _seen,
      redirect_restriction: _redirect,
      former_team_ids: _former,
      locked,
      webhooks,
      spam: { require_token: _host, captcha, ...spam },
      self_email_notification: mail,
      auto_response: { from_email: _hidden, ...reply },
      after_submit,
      ...rest
    } = value;
    return {
      ...rest,
      ...(locked && { locked }),
      settings: settingsOf(value),
      id,
      endpoint: endpointOf(face, id),
      last_submission_at: all?.at ?? null,
      submissions: { this_month: now?.n ?? 0, all_time: all?.n ?? 0 },
      spam: { ...spam, captcha: { provider: captcha.provider, secret_key_set: captcha.secret !== "" } },
      self_email_notification: {
        ...mail,
        template: { type: mail.template.html ? "custom" : "theme", ...mail.template },
        sender: { type: mail.sender.server_id ? "email_server" : "default", ...mail.sender },
      },
      auto_response: { ...reply, template: { type: reply.template.html ? "custom" : "theme", ...reply.template } },
      after_submit: { type: after_submit.redirect.success_url ? "redirect" : "page", ...after_submit },
      webhooks: webhooks.map((webhook) => toWebhook(core, webhook, states.get(webhook.id)?.value)),
    };
  });
}

/** A response, and the version of the row that it shows. */
export interface Versioned<T> {
  readonly value: T;
  readonly version: number;
}

/** The API shape of one form. */
export const toForm = async (core: Core, row: Row<"forms">): Promise<HostForm> =>
  (await toForms(core, [row]))[0] as HostForm;

/** The URL that the HTML form posts to. */
export const endpointOf = (core: Core, id: string): string => `${core.options.baseUrl}/f/${id}`;
