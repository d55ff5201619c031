import type { Backfilled } from "../../../model/backfill.ts";
import type { EmailKind, FormEmail, FormEmailList } from "../../../model/emails.ts";
import type { Delivery, DeliveryStatus } from "../../../model/jobs.ts";
import type {
  DeliveryList,
  Recovered,
  Webhook,
  WebhookCreate,
  WebhookDeleted,
  WebhookPatch,
  WebhookTest,
} from "../../../model/webhooks.ts";
import type { HostCalls } from "./call.ts";

/** Webhooks of a form. */
export interface WebhooksApi {
  /**
   * Adds a webhook to a form. Returns it with its `secret`, which you see only now.
   *
   * @throws `form_not_found`, `invalid_parameter`, `plan_restricted`, `webhook_url_taken`
   */
  create(formId: string, input: WebhookCreate): Promise<Webhook & { secret: string }>;
  /**
   * Returns the webhooks of a form.
   *
   * @throws `form_not_found`
   */
  list(formId: string): Promise<Webhook[]>;
  /**
   * Returns one webhook.
   *
   * @throws `form_not_found`, `webhook_not_found`
   */
  get(formId: string, id: string): Promise<Webhook>;
  /**
   * Changes the members in `patch`. `enabled: true` and a new `url` also reset earlier failures. Returns the webhook.
   *
   * @throws `form_not_found`, `invalid_parameter`, `webhook_not_found`, `webhook_url_taken`
   */
  update(formId: string, id: string, patch: WebhookPatch): Promise<Webhook>;
  /**
   * Deletes a webhook. Its log is kept until its retention expires. Returns `{ id, deleted: true }`.
   *
   * @throws `form_not_found`, `webhook_not_found`
   */
  delete(formId: string, id: string): Promise<WebhookDeleted>;
  /**
   * Gives a webhook a new secret, at most twice in 24 h. The old one also signs for 24 h, unless `expire_previous` removes it
   * at once. Returns the webhook with the new `secret`, which you see only now.
   *
   * @throws `form_not_found`, `invalid_parameter`, `webhook_not_found`
   */
  rotateSecret(
    formId: string,
    id: string,
    options?: { expire_previous?: boolean },
  ): Promise<Webhook & { secret: string }>;
  /**
   * Sends one `submission.test` event now. Returns the result; nothing is logged or retried.
   *
   * @throws `form_not_found`, `webhook_not_found`
   */
  test(formId: string, id: string): Promise<WebhookTest>;
  /**
   * Sends every submission in the inbox to the webhook that has no delivery to it yet, oldest first, also while the webhook is
   * off; with `created_after`, only those from that moment or later. Spam is not sent, and the form's routing is not asked. Returns
   * the number; one call queues at most 10,000, and `has_more` tells you to call it again.
   *
   * @throws `form_not_found`, `invalid_parameter`, `webhook_not_found`
   */
  backfill(formId: string, id: string, input?: { created_after?: string }): Promise<Backfilled>;
}

/** Results of sending each submission to a webhook. */
export interface DeliveriesApi {
  /**
   * Returns a page of a webhook's deliveries, the latest result first. `limit` is 1 to 100, default 25; `before` is the last
   * `occurred_at` of the page before.
   *
   * @throws `form_not_found`, `invalid_parameter`, `webhook_not_found`
   */
  list(
    formId: string,
    webhookId: string,
    query?: { status?: DeliveryStatus; limit?: number; before?: string },
  ): Promise<DeliveryList>;
  /**
   * Returns the delivery of one submission to one webhook.
   *
   * @throws `delivery_not_found`, `form_not_found`, `webhook_not_found`
   */
  get(formId: string, webhookId: string, submissionId: string): Promise<Delivery>;
  /**
   * Sends a delivery again under the same `webhook-id`, even while the webhook is off. Returns it with status `pending`.
   *
   * @throws `delivery_not_found`, `form_not_found`, `plan_restricted`, `submission_not_stored`, `webhook_not_found`
   */
  redeliver(formId: string, webhookId: string, submissionId: string): Promise<Delivery>;
  /**
   * Sends every delivery again that has one of `statuses` (default both) since a time at most 14 days ago: same `webhook-id`,
   * another 72 h of retries. Spam is not sent. Returns the number; one call sends at most 10,000, and `has_more` tells you to
   * call it again.
   *
   * @throws `form_not_found`, `invalid_parameter`, `webhook_not_found`
   */
  recover(
    formId: string,
    webhookId: string,
    input: { since: string; statuses?: ("failed" | "skipped")[] },
  ): Promise<Recovered>;
}

/** A form's emails about its submissions. Emails of every form and kind are among `jobs`. */
export interface EmailsApi {
  /**
   * Returns a page of a form's emails with their state, newest first. `limit` is 1 to 100, default 25; `cursor` is the
   * `next_cursor` of the page before.
   *
   * @throws `form_not_found`, `invalid_parameter`
   */
  list(
    formId: string,
    query?: { status?: DeliveryStatus; kind?: EmailKind; submission_id?: string; limit?: number; cursor?: string },
  ): Promise<FormEmailList>;
  /**
   * Sends an email again, whatever its state is, for another 72 h: at most 60 an hour to one address, and 3 an hour to a
   * visitor's. Returns it.
   *
   * @throws `form_not_found`, `not_found`, `plan_restricted`, `rate_limited`, `submission_not_stored`
   */
  resend(formId: string, emailId: string): Promise<FormEmail>;
}

/** Webhooks, as rows of the table. */
export const webhooksApi = ({ row, group }: HostCalls): WebhooksApi => ({
  ...group("webhooks"),
  list: async (formId) => (await row("listWebhooks", { params: { form_id: formId } })).data,
});
