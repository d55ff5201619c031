import { type Core, find, update } from "../core.ts";
import type { Write } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import { reachForm } from "../forms/access.ts";
import type { FormRecord } from "../forms/schema.ts";
import type { Caller } from "../keys/schema.ts";
import { DAY_MS, iso } from "../lib/clock.ts";
import { prefixedId } from "../lib/id.ts";
import { addressPolicy, checkUrl } from "../lib/net-guard.ts";
import type { Plan } from "../teams/plans.ts";
import { loadTeam, planOf } from "../teams/service.ts";
import { post } from "./deliver.ts";
import type { Webhook, WebhookCreate, WebhookPatch, WebhookRecord, WebhookState } from "./schema.ts";
import { newSecret } from "./sign.ts";
import { toWebhook } from "./view.ts";

const ROTATION_MS = DAY_MS;
/** Old secrets that may sign beside the newest one. */
const MAX_OLD_SECRETS = 2;

/** The webhooks of a form. */
export async function listWebhooks(core: Core, caller: Caller, formId: string): Promise<Webhook[]> {
  const { value } = await reachForm(core, caller, formId);
  return Promise.all(value.webhooks.map((webhook) => toView(core, webhook)));
}

/** One webhook. Throws `webhook_not_found`. */
export async function getWebhook(core: Core, caller: Caller, formId: string, id: string): Promise<Webhook> {
  const { value } = await reachForm(core, caller, formId);
  return toView(core, pick(value, id));
}

/** Creates a webhook; its secret is in the answer and nowhere afterwards. Throws `plan_restricted`, `invalid_parameter`, `webhook_url_taken`. */
export async function createWebhook(
  core: Core,
  caller: Caller,
  formId: string,
  input: WebhookCreate,
): Promise<Webhook & { secret: string }> {
  await reachForm(core, caller, formId);
  const { webhook, secret } = await newWebhook(core, input);
  await change(core, formId, async (form) => {
    assertFree(form, webhook.url);
    const team = await loadTeam(core, form.team_id);
    const plan = team && planOf(core, team.value);
    const webhooks = [...form.webhooks, webhook];
    if (plan) assertWebhooks(plan, webhooks.length);
    return webhooks;
  });
  return { ...(await toView(core, webhook)), secret };
}

/** A webhook that no form has yet. Throws `invalid_parameter` on `url`. */
export async function newWebhook(
  core: Core,
  input: WebhookCreate,
): Promise<{ webhook: WebhookRecord; secret: string }> {
  const url = assertUrl(core, input.url);
  const secret = newSecret();
  const webhook: WebhookRecord = {
    id: prefixedId("whk"),
    url,
    enabled: input.enabled ?? true,
    description: input.description ?? "",
    events: [...new Set(input.events ?? (["submission.created"] as const))],
    secrets: [{ sealed: await core.seal.seal(secret), until: null }],
    created_at: iso(core.clock.now()),
  };
  return { webhook, secret };
}

/** Throws `plan_restricted` where a plan does not include so many webhooks on one form. */
export function assertWebhooks(plan: Plan, count: number): void {
  const limit = plan.webhooks ? plan.webhooks_per_form : 0;
  if (limit === null || count <= limit) return;
  throw new ApiError("plan_restricted", {
    param: "webhooks",
    message: plan.webhooks
      ? `The team's plan includes ${limit} webhook(s) per form.`
      : "The team's plan does not include webhooks.",
  });
}

/** Changes what is sent. Throws `webhook_not_found`, `invalid_parameter`, `webhook_url_taken`. */
export async function updateWebhook(
  core: Core,
  caller: Caller,
  formId: string,
  id: string,
  patch: WebhookPatch,
): Promise<Webhook> {
  await reachForm(core, caller, formId);
  const url = patch.url === undefined ? undefined : assertUrl(core, patch.url);
  const revived = (before: WebhookRecord): boolean =>
    (patch.enabled === true && !before.enabled) || (url !== undefined && url !== before.url);
  const form = await change(core, formId, async (before, also) => {
    if (revived(pick(before, id))) also.push(...(await freshStart(core, id)));
    if (url !== undefined) assertFree(before, url, id);
    return before.webhooks.map((webhook) =>
      webhook.id !== id
        ? webhook
        : {
            ...webhook,
            ...(url !== undefined && { url }),
            ...(patch.enabled !== undefined && { enabled: patch.enabled }),
            ...(patch.description !== undefined && { description: patch.description }),
            ...(patch.events !== undefined && { events: [...new Set(patch.events)] }),
          },
    );
  });
  return toView(core, pick(form, id));
}

/** Deletes a webhook; its log stays until its retention ends. Throws `webhook_not_found`. */
export async function deleteWebhook(
  core: Core,
  caller: Caller,
  formId: string,
  id: string,
): Promise<{ id: string; deleted: true }> {
  await reachForm(core, caller, formId);
  await change(core, formId, (form) => {
    pick(form, id);
    return form.webhooks.filter((webhook) => webhook.id !== id);
  });
  return { id, deleted: true };
}

/** Gives the webhook a new secret; the old one also signs for 24 h. Throws `invalid_parameter` on a third rotation in that time. */
export async function rotateSecret(
  core: Core,
  caller: Caller,
  formId: string,
  id: string,
): Promise<Webhook & { secret: string }> {
  await reachForm(core, caller, formId);
  const secret = newSecret();
  const sealed = await core.seal.seal(secret);
  const form = await change(core, formId, (before) => {
    const now = core.clock.now();
    const until = iso(now + ROTATION_MS);
    const old = pick(before, id)
      .secrets.filter((entry) => entry.until === null || Date.parse(entry.until) > now)
      .map((entry) => ({ ...entry, until: entry.until ?? until }));
    if (old.length > MAX_OLD_SECRETS) {
      throw new ApiError("invalid_parameter", {
        message: "The secret was rotated twice within 24 hours; wait until the oldest one has ended.",
      });
    }
    return before.webhooks.map((webhook) =>
      webhook.id === id ? { ...webhook, secrets: [{ sealed, until: null }, ...old] } : webhook,
    );
  });
  return { ...(await toView(core, pick(form, id))), secret };
}

/** Sends one `submission.test` event now and answers how it went; nothing is logged or retried. */
export async function testWebhook(core: Core, caller: Caller, formId: string, id: string) {
  const { value } = await reachForm(core, caller, formId);
  const now = iso(core.clock.now());
  const data = {
    id: core.sortableId(core.clock.now()),
    form_id: formId,
    created_at: now,
    spam: false,
    ip: null,
    country: null,
    user_agent: null,
    referer: null,
    fields: [{ key: "message", value: "This is a test." }],
    attachments: [],
  };
  const message = {
    id: prefixedId("msg"),
    event: "submission.test",
    attempt: 1,
    body: JSON.stringify({ type: "submission.test", timestamp: now, data }),
  };
  const attempt = await post(core, pick(value, id), message);
  return {
    delivered: attempt.ok,
    http_status: attempt.http_status ?? null,
    node_error_code: attempt.node_error_code ?? null,
    duration_ms: Math.round(attempt.duration_ms),
  };
}

async function toView(core: Core, webhook: WebhookRecord): Promise<Webhook> {
  const state = await find<WebhookState>(core, "webhook_states", webhook.id);
  return toWebhook(core, webhook, state?.value);
}

function pick(form: FormRecord, id: string): WebhookRecord {
  const webhook = form.webhooks.find((entry) => entry.id === id);
  if (!webhook) throw new ApiError("webhook_not_found");
  return webhook;
}

/** Failures of before the webhook was turned on again, or of its old URL, no longer count against it. */
async function freshStart(core: Core, id: string): Promise<Write[]> {
  const state = await find<WebhookState>(core, "webhook_states", id);
  if (!state?.value.failing) return [];
  const value = { ...state.value, failing: null };
  return [{ op: "put", collection: "webhook_states", id, value, expect: state.version }];
}

async function change(
  core: Core,
  formId: string,
  webhooks: (form: FormRecord, also: Write[]) => WebhookRecord[] | Promise<WebhookRecord[]>,
): Promise<FormRecord> {
  let also: Write[] = [];
  const form = await update<FormRecord>(
    core,
    "forms",
    formId,
    async (before) => {
      also = [];
      return { ...before, webhooks: await webhooks(before, also) };
    },
    () => new ApiError("form_not_found"),
    () => also,
  );
  core.cached.forms.drop(formId);
  return form;
}

function assertUrl(core: Core, url: string): string {
  const { allowHttp, allowCidrs } = core.options.webhooks;
  const checked = checkUrl(url, { allowHttp, policy: addressPolicy({ allowCidrs }) });
  if (checked.ok) return checked.url.href;
  throw new ApiError("invalid_parameter", { param: "url", message: `\`url\`: ${checked.reason}` });
}

function assertFree(form: FormRecord, url: string, except?: string): void {
  if (form.webhooks.some((webhook) => webhook.url === url && webhook.id !== except))
    throw new ApiError("webhook_url_taken", { param: "url" });
}
