/** The calls by which the world is made, which a backend in another runtime answers as well. */
interface Maker {
  readonly forms: { create(input: object): Promise<{ readonly id: string }> };
  readonly webhooks: { create(formId: string, input: { url: string }): Promise<{ readonly id: string }> };
  post(formId: string, body: Record<string, string>): Promise<{ readonly json: { readonly submission_id: string } }>;
  tick(): Promise<unknown>;
}

/** A form with submissions, a webhook that was sent to, and good arguments for every tool, in an order in which all work. */
export async function worldOf(b: Maker) {
  const { id: form_id } = await b.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["owner@example.com"] },
    settings: { statistics: { enabled: true } },
  });
  const { id: webhook_id } = await b.webhooks.create(form_id, { url: "https://hooks.example.com/a" });
  const ids: string[] = [];
  for (const city of ["Graz", "Wien", "Linz"]) {
    const answer = await b.post(form_id, { email: "ann@example.com", city });
    ids.push(answer.json.submission_id);
  }
  await b.tick();
  const [submission_id = "", second = "", third = ""] = ids;
  const form = { form_id };
  const one = { form_id, submission_id };
  const hook = { form_id, webhook_id };
  const calls: Record<string, object> = {
    list_teams: {},
    list_forms: {},
    get_form: form,
    get_form_fields: form,
    create_form: { name: "Other" },
    update_form: { ...form, active: true },
    get_form_settings: form,
    update_form_settings: { ...form, labels: { city: "Town" } },
    add_recipient: { ...form, email: "more@example.com" },
    remove_recipient: { ...form, email: "more@example.com" },
    list_email_servers: {},
    list_submissions: { ...form, limit: 2, order: "asc", read: false, country: "unknown" },
    search_submissions: { q: "graz" },
    count_submissions: { ...form, group_by: "field:city" },
    get_submission: one,
    mark_submission_read: one,
    mark_submission_spam: one,
    restore_submission: { ...one, deliver: true },
    bulk_update_submissions: { ...form, action: "mark_read", ids: [submission_id, second], confirm: "Contact" },
    delete_submission: { form_id, submission_id: third, confirm: third },
    reply_to_submission: { ...one, text: "Thank you, we call you today.", confirm: submission_id },
    export_submissions: { ...form, format: "ndjson" },
    list_webhooks: form,
    create_webhook: { ...form, url: "https://hooks.example.com/b", format: "flat" },
    update_webhook: { ...hook, description: "CRM" },
    rotate_webhook_secret: { ...hook, expire_previous: true },
    test_webhook: hook,
    list_webhook_deliveries: { ...hook, status: "succeeded" },
    get_delivery: { ...hook, submission_id },
    redeliver_webhook: { ...hook, submission_id },
    backfill_webhook: { ...hook, confirm: "Contact" },
    send_test_email: { ...form, kind: "auto_response", to: "me@example.com" },
    get_statistics: { ...form, interval: "week", time_zone: "Europe/Berlin" },
    backtest_spam: { ...form, spam: { words: ["graz"] }, limit: 10 },
    get_spam_model: {},
    delete_webhook: { ...hook, confirm: "Contact" },
  };
  return { form_id, webhook_id, submission_id, calls };
}

export const plans = { unlimited: { webhooks_per_form: 10 } };
