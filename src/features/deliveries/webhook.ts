import type { Core } from "../../core/core.ts";
import { backendOf, perBackend } from "../../core/per-backend.ts";
import { iso } from "../../lib/clock.ts";
import { withoutEcho } from "../../lib/echo.ts";
import { createLru } from "../../lib/lru.ts";
import { TemplateError } from "../../lib/template.ts";
import { isService } from "../../model/destinations.ts";
import type { JobRecord } from "../../model/jobs.ts";

import { type JobOutcome, skipped } from "../../model/outcome.ts";
import type { WebhookRecord } from "../../model/webhooks.ts";
import { formatOf } from "../forms/webhook-config.ts";
import { urlOf } from "../forms/webhook-url.ts";
import type { ClaimedJob } from "../jobs/reads.ts";
import { contentOf } from "../submissions/content.ts";
import { planOf } from "../teams/service.ts";
import { type Judged, judge } from "../webhooks/formats/judge.ts";
import { facts } from "../webhooks/formats/table.ts";
import type { RequestFormat } from "../webhooks/formats/types.ts";
import { DELIVERY_WINDOW_MS } from "../webhooks/schedule.ts";
import { signatures } from "../webhooks/sign.ts";
import { userAgentOf } from "../webhooks/user-agent.ts";
import { serviceOf } from "./entries.ts";
import { eventOf } from "./event.ts";

const KEPT_URLS = 1_000;

/** Sends one delivery to its webhook, unless it stopped being wanted since it was planned. */
export async function deliverWebhook(core: Core, claimed: ClaimedJob, signal: AbortSignal): Promise<JobOutcome> {
  const { id: jobId, value: job, read, once } = claimed;
  const form = await read("forms", job.form_id);
  const webhook = form?.value.webhooks.find(({ id }) => id === job.target);
  if (!form || !webhook) return skipped("SKIPPED_WEBHOOK_DELETED");
  if (!webhook.enabled && !job.forced) return skipped("SKIPPED_WEBHOOK_DISABLED");
  if (!(webhook.events as string[]).includes(job.event)) return skipped("SKIPPED_EVENT_NOT_SUBSCRIBED");
  const team = await read("teams", job.team_id);
  if (!team?.value.active) return skipped("SKIPPED_TEAM_INACTIVE");
  if (!planOf(core, team.value).webhooks) return skipped("SKIPPED_PLAN_RESTRICTED");
  const service = isService(webhook.format) ? await serviceOf(core, webhook, webhook.format) : null;
  const wait = service?.wait(job);
  if (wait) return wait;
  const submission = await contentOf(core, job.submission_id, read);
  if (!submission) return skipped("SKIPPED_SUBMISSION_DELETED");
  if (isOverdue(core, job) && (await failedThroughout(core, job))) {
    const message = "The 72 hours passed behind other deliveries to this endpoint, which failed all the time.";
    return { status: "failed", code: "ERROR_WEBHOOK_NOT_ATTEMPTED", message, ours: true, attempted: false };
  }

  if (service) return service.deliver(claimed, await eventOf(core, form, job, submission), signal);

  const body: Message["body"] = (format, url) => {
    // An error message from a chat may contain its URL.
    const about = [
      format.name,
      job.event,
      job.changed && `${job.changed} ${job.occurred_at}`,
      job.submission_id,
      job.message_id,
      job.links_expire_at,
      job.spam,
      !format.signed && url.href,
      webhook.sealed_config,
      webhook.restriction && JSON.stringify(webhook.restriction),
    ];
    return once(about.join(" "), async () => format.body(await eventOf(core, form, job, submission), url));
  };
  const message = { id: jobId, attempt: job.attempt + 1, type: job.event, body };
  const attempt = await post(core, webhook, message, signal).catch(unfillable);
  if (!("end" in attempt)) return attempt;
  return {
    status: attempt.end === "delivered" ? "succeeded" : attempt.end === "retry" ? "retry" : "failed",
    code: attempt.code,
    message: attempt.message || undefined,
    ours: isOurs(attempt),
    http_status: attempt.http_status,
    node_error_code: attempt.node_error_code,
    retryAfter: attempt.retry_after,
    slow: attempt.code === "ERROR_WEBHOOK_TIMEOUT" || (attempt.http_status === 429 && !waitsAsTold(webhook, attempt)),
    gone: attempt.end === "gone",
  };
}

/** The outcome of a template that can't be filled in with this submission: another attempt would end alike. */
function unfillable(error: unknown): JobOutcome {
  if (!(error instanceof TemplateError)) throw error;
  return {
    status: "failed",
    code: "ERROR_WEBHOOK_INTERNAL",
    message: `The template in config.body ${error.message}.`,
    ours: true,
    attempted: false,
  };
}

/** True if a delivery had no attempt in its whole window. */
const isOverdue = (core: Core, { deadline_at, attempt, window_from = 0 }: JobRecord): boolean =>
  attempt <= window_from && core.storeClock.now() > Date.parse(deadline_at);

/**
 * True if every attempt at its webhook failed from before the window of a delivery until after it. If our process was down, there
 * was no attempt after the window, so this delivery gets one.
 */
async function failedThroughout(core: Core, { target, deadline_at }: JobRecord): Promise<boolean> {
  const failing = (await core.rows.get("webhook_states", target))?.value.failing;
  const began = iso(Date.parse(deadline_at) - DELIVERY_WINDOW_MS);
  return failing !== null && failing !== undefined && failing.since <= began && failing.latest > deadline_at;
}

/** True if no word of the message is the receiver's, as in a status line, a certificate or broken HTTP. */
const isOurs = ({ http_status, code }: Judged): boolean =>
  http_status === undefined && code !== "ERROR_WEBHOOK_TLS" && code !== "ERROR_WEBHOOK_PROTOCOL";

/** Chats limit by the second and name the wait; any other receiver that returns 429 gets more time. */
const waitsAsTold = ({ format }: WebhookRecord, { retry_after }: Judged): boolean =>
  retry_after !== undefined && !facts[format ?? "standard"].signed;

const urlsOf = perBackend(() => createLru<URL>(KEPT_URLS));

/** The URL, parsed once for all deliveries to it. Don't change the result. */
function parsed(core: Core, text: string): URL {
  const urls = urlsOf(core);
  const url = urls.get(text) ?? new URL(text);
  urls.set(text, url);
  return url;
}

/** The content of one request. */
export interface Message {
  readonly id: string;
  readonly attempt: number;
  readonly type: string;
  readonly body: (format: RequestFormat, url: URL) => string | Promise<string>;
}

/** One request in the webhook's format. Where it is signed, the body is signed and sent as the same bytes. */
export async function post(
  core: Core,
  webhook: WebhookRecord,
  message: Message,
  signal?: AbortSignal,
): Promise<Judged> {
  const known = formatOf(core, webhook);
  const format = known instanceof Promise ? await known : known;
  const url = parsed(core, await urlOf(core, webhook));
  const body = await message.body(format, url);
  const { brand } = core.options;
  const headers = {
    // The client has the backend's own.
    ...(brand !== backendOf(core).options.brand && { "User-Agent": userAgentOf(brand) }),
    ...format.headers,
    ...(format.signed && (await signed(core, webhook, message, body))),
  };
  const { method = "POST", readsSuccess = false } = format;
  const request = { method, headers, body, readsSuccess };
  const judged = judge(await core.webhookClient.post(format.address?.(url) ?? url.href, request, signal), format);
  if (judged.message === "" || isOurs(judged)) return judged;
  // The answer may repeat the post, or the path of a chat's URL, which is a secret.
  const sent = [body, url.pathname + url.search, ...Object.values(headers)];
  return { ...judged, message: withoutEcho(judged.message, sent) };
}

/** The headers that sign a body as of now. Throws where the webhook has no secret. */
export async function signed(
  core: Core,
  { id: webhookId, secrets }: Pick<WebhookRecord, "id" | "secrets">,
  { id, attempt, type }: Pick<Message, "id" | "attempt" | "type">,
  body: string,
): Promise<Record<string, string>> {
  const now = core.clock.now();
  const live = secrets.filter(({ sealed, until }) => sealed !== "" && (until === null || Date.parse(until) > now));
  if (live.length === 0)
    throw new Error(`[form-backend] webhook ${webhookId} has no secret to sign with; rotate its secret`);
  return {
    ...signatures({
      id,
      timestamp: Math.floor(now / 1000),
      body,
      secrets: await Promise.all(live.map(({ sealed }) => core.seal.open(sealed))),
      headerName: core.options.brand.signatureHeader,
    }),
    "X-Service-Event": type,
    "X-Service-Attempt": String(attempt),
  };
}
