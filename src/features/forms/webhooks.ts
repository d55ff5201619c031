import type { Core } from "../../core/core.ts";
import type { Plan } from "../../core/options/plans.ts";
import { put } from "../../core/rows.ts";
import type { Stored, Write } from "../../drivers/storage/types.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { prefixedId } from "../../lib/id.ts";
import { isService } from "../../model/destinations.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Restriction } from "../../model/restriction.ts";
import type {
  RotateSecret,
  Webhook,
  WebhookCreate,
  WebhookFormat,
  WebhookPatch,
  WebhookRecord,
} from "../../model/webhooks.ts";
import { loadTeam, planOf } from "../teams/service.ts";
import { newSecret } from "../webhooks/sign.ts";
import { changeForm } from "./change.ts";
import { withoutWebhook } from "./routing.ts";
import { hasOtherAccount, keptConfig } from "./webhook-config.ts";
import { assertFree, assertSent, kept, movedTo, urlOf } from "./webhook-url.ts";
import { toWebhook } from "./webhook-view.ts";

const ROTATION_MS = DAY_MS;
/** Old secrets that may sign together with the newest one. */
const MAX_OLD_SECRETS = 2;

/** The webhooks of a form. */
export async function listWebhooks(core: Core, form: Stored<FormRecord>): Promise<Webhook[]> {
  return Promise.all(form.value.webhooks.map((webhook) => toView(core, webhook)));
}

/** One webhook. Throws `webhook_not_found`. */
export async function getWebhook(core: Core, form: Stored<FormRecord>, id: string): Promise<Webhook> {
  return toView(core, webhookOf(form.value, id));
}

/**
 * Creates a webhook. The response contains its secret, which is never shown again. Throws `plan_restricted`,
 * `invalid_parameter`, `webhook_url_taken`.
 */
export async function createWebhook(
  core: Core,
  form: Stored<FormRecord>,
  input: WebhookCreate,
  restriction?: Restriction,
): Promise<Webhook & { secret: string }> {
  const { webhook, secret } = await newWebhook(core, input, restriction);
  await change(core, form, async (before) => {
    await assertFree(core, before.webhooks, await urlOf(core, webhook));
    const team = await loadTeam(core, before.team_id);
    const plan = team && planOf(core, team.value);
    const webhooks = [...before.webhooks, webhook];
    if (plan) assertWebhooks(plan, webhooks.length);
    return webhooks;
  });
  return { ...(await toView(core, webhook)), secret };
}

/** A webhook that no form has yet. Throws `invalid_parameter` on `url`. */
export async function newWebhook(
  core: Core,
  input: WebhookCreate,
  restriction?: Restriction,
): Promise<{ webhook: WebhookRecord; secret: string }> {
  const format = input.format ?? "standard";
  assertEvents(format, input.events);
  const sent = assertSent(core, input.url, format);
  const { address, ...config } = await keptConfig(core, { format, sent: input.config });
  const secret = newSecret();
  const webhook: WebhookRecord = {
    id: prefixedId("whk"),
    ...(await kept(core, address ?? sent, format)),
    ...config,
    enabled: input.enabled ?? true,
    description: input.description ?? "",
    events: [...new Set(input.events ?? (["submission.created"] as const))],
    secrets: [{ sealed: await core.seal.seal(secret), until: null }],
    created_at: iso(core.clock.now()),
    ...(restriction && { restriction }),
  };
  return { webhook, secret };
}

/** Throws `invalid_parameter` on `events`: a row, page or contact stands for a submission, and takes nothing else. */
function assertEvents(format: WebhookFormat, events: readonly string[] = []): void {
  const other = isService(format) && events.find((event) => !event.startsWith("submission."));
  if (other)
    throw wrongParameter("events", `can't have ${other} with the format ${format}, which takes submissions alone`);
}

/** Throws `plan_restricted` if the plan allows fewer webhooks on one form. */
export function assertWebhooks(plan: Plan, count: number): void {
  const limit = plan.webhooks ? plan.webhooks_per_form : 0;
  if (limit === null || count <= limit) return;
  throw new ApiError("plan_restricted", {
    param: "webhooks",
    message: plan.webhooks
      ? `Webhooks per form in the team's plan: ${limit}; the host raises it with \`webhooks_per_form\` in the option \`plans\`.`
      : "The team's plan does not include webhooks.",
  });
}

/** Changes the sent members. Throws `webhook_not_found`, `invalid_parameter`, `webhook_url_taken`. */
export async function updateWebhook(
  core: Core,
  form: Stored<FormRecord>,
  id: string,
  patch: WebhookPatch,
  restriction?: Restriction,
): Promise<Webhook> {
  const after = await change(core, form, async (before, also) => {
    const webhook = webhookOf(before, id);
    const url = await movedTo(core, webhook, patch);
    if (url !== null) await assertFree(core, before.webhooks, url, id);
    const { restriction: _, ...rest } = await changed(core, webhook, url, patch);
    const moved =
      url === null
        ? await hasOtherAccount(core, webhook, rest)
        : url !== (await urlOf(core, webhook).catch(() => null));
    if (moved || (patch.enabled === true && !webhook.enabled)) also.push(...(await freshStart(core, id)));
    // Another URL or account is another destination: it is that of whoever set it.
    const own = moved ? restriction : webhook.restriction;
    const next = { ...rest, ...(own && { restriction: own }) };
    return before.webhooks.map((entry) => (entry.id === id ? next : entry));
  });
  return toView(core, webhookOf(after, id));
}

async function changed(
  core: Core,
  before: WebhookRecord,
  moved: string | null,
  patch: WebhookPatch,
): Promise<WebhookRecord> {
  const { url, sealed_url, format, config: _, sealed_config: __, ...webhook } = before;
  const wanted = patch.format ?? format ?? "standard";
  assertEvents(wanted, patch.events ?? before.events);
  const stays = { url, ...(sealed_url !== undefined && { sealed_url }), ...(format !== undefined && { format }) };
  const { address = moved, ...config } = await keptConfig(core, { format: wanted, sent: patch.config, before, moved });
  return {
    ...webhook,
    ...(address === null ? stays : await kept(core, address, wanted)),
    ...config,
    ...(patch.enabled !== undefined && { enabled: patch.enabled }),
    ...(patch.description !== undefined && { description: patch.description }),
    ...(patch.events !== undefined && { events: [...new Set(patch.events)] }),
  };
}

/** Deletes a webhook; its log is kept until its retention expires. Throws `webhook_not_found`. */
export async function deleteWebhook(
  core: Core,
  form: Stored<FormRecord>,
  id: string,
): Promise<{ id: string; deleted: true }> {
  await change(core, form, (before) => {
    webhookOf(before, id);
    return before.webhooks.filter((webhook) => webhook.id !== id);
  });
  return { id, deleted: true };
}

/**
 * Gives the webhook a new secret; the old one also signs for 24 h, unless it is to expire at once. Throws
 * `invalid_parameter` on `expire_previous` if two old ones still sign.
 */
export async function rotateSecret(
  core: Core,
  form: Stored<FormRecord>,
  id: string,
  { expire_previous }: RotateSecret,
): Promise<Webhook & { secret: string }> {
  const secret = newSecret();
  const sealed = await core.seal.seal(secret);
  const after = await change(core, form, (before) => {
    const now = core.clock.now();
    const until = iso(now + ROTATION_MS);
    const { secrets } = webhookOf(before, id);
    const old = (expire_previous ? [] : secrets)
      .filter((entry) => entry.until === null || Date.parse(entry.until) > now)
      .map((entry) => ({ ...entry, until: entry.until ?? until }));
    if (old.length > MAX_OLD_SECRETS) {
      throw new ApiError("invalid_parameter", {
        param: "expire_previous",
        message:
          "The secret was rotated twice within 24 hours; wait until the oldest one has expired, or expire them now with `expire_previous`.",
      });
    }
    return before.webhooks.map((webhook) =>
      webhook.id === id ? { ...webhook, secrets: [{ sealed, until: null }, ...old] } : webhook,
    );
  });
  return { ...(await toView(core, webhookOf(after, id))), secret };
}

async function toView(core: Core, webhook: WebhookRecord): Promise<Webhook> {
  const state = await core.rows.get("webhook_states", webhook.id);
  return toWebhook(core, webhook, state?.value);
}

/** The webhook of a form. Throws `webhook_not_found`. */
export function webhookOf(form: FormRecord, id: string): WebhookRecord {
  const webhook = form.webhooks.find((entry) => entry.id === id);
  if (!webhook) throw new ApiError("webhook_not_found");
  return webhook;
}

/** Failures of before the webhook was turned on again, or of its old URL, no longer count against it. */
async function freshStart(core: Core, id: string): Promise<Write[]> {
  const state = await core.rows.get("webhook_states", id);
  if (!state?.value.failing) return [];
  return [put("webhook_states", id, { ...state.value, failing: null }, state.version)];
}

async function change(
  core: Core,
  form: Stored<FormRecord>,
  webhooks: (form: FormRecord, also: Write[]) => WebhookRecord[] | Promise<WebhookRecord[]>,
): Promise<FormRecord> {
  const { row } = await changeForm(core, form, async ({ value }) => {
    const also: Write[] = [];
    const after = { ...value, webhooks: await webhooks(value, also) };
    const gone = value.webhooks.filter(({ id }) => !after.webhooks.some((one) => one.id === id));
    const routing = gone.reduce((left, { id }) => withoutWebhook(left, id), value.settings.routing);
    return { value: { ...after, settings: { ...after.settings, routing } }, also };
  });
  return row.value;
}
