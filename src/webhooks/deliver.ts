import { type Core, find } from "../core.ts";
import type { FormRecord } from "../forms/schema.ts";
import { type JobOutcome, skipped } from "../jobs/outcome.ts";
import type { JobRecord } from "../jobs/schema.ts";
import { iso } from "../lib/clock.ts";
import { contentOf } from "../submissions/content.ts";
import { toSubmission } from "../submissions/view.ts";
import type { TeamRecord } from "../teams/schema.ts";
import { planOf } from "../teams/service.ts";
import { retryable } from "./codes.ts";
import { DELIVERY_WINDOW_MS } from "./schedule.ts";
import type { WebhookRecord, WebhookState } from "./schema.ts";
import { signatures } from "./sign.ts";

/** Sends one delivery to its webhook, unless it stopped being wanted since it was planned. */
export async function deliverWebhook(
  core: Core,
  jobId: string,
  job: JobRecord,
  signal: AbortSignal,
): Promise<JobOutcome> {
  const form = await core.findJoined<FormRecord>("forms", job.form_id);
  const webhook = form?.value.webhooks.find(({ id }) => id === job.target);
  if (!form || !webhook) return skipped("SKIPPED_WEBHOOK_DELETED");
  if (!webhook.enabled && !job.forced) return skipped("SKIPPED_WEBHOOK_DISABLED");
  if (!(webhook.events as string[]).includes(job.event)) return skipped("SKIPPED_EVENT_NOT_SUBSCRIBED");
  const team = await core.findJoined<TeamRecord>("teams", job.team_id);
  if (!team?.value.active) return skipped("SKIPPED_TEAM_INACTIVE");
  if (!planOf(core, team.value).webhooks) return skipped("SKIPPED_PLAN_RESTRICTED");
  const submission = await contentOf(core, job.submission_id);
  if (!submission) return skipped("SKIPPED_SUBMISSION_DELETED");
  if (await hopeless(core, job)) {
    const message = "The 72 hours passed behind other deliveries to this endpoint, which failed all the time.";
    return { status: "failed", code: "ERROR_WEBHOOK_NOT_ATTEMPTED", message, attempted: false };
  }

  const record = { ...submission, spam: job.spam };
  const { read: _, ...data } = toSubmission(core, job.submission_id, record, Date.parse(job.links_expire_at));
  const body = JSON.stringify({ type: job.event, timestamp: submission.created_at, data });
  const attempt = await post(core, webhook, { id: jobId, event: job.event, attempt: job.attempt + 1, body }, signal);
  return {
    status: attempt.ok ? "succeeded" : retryable(attempt.code) && !attempt.gone ? "retry" : "failed",
    code: attempt.code,
    message: attempt.message || undefined,
    http_status: attempt.http_status,
    node_error_code: attempt.node_error_code,
    retryAfter: attempt.retry_after,
    slow: attempt.code === "ERROR_WEBHOOK_TIMEOUT" || attempt.http_status === 429,
    gone: attempt.gone,
  };
}

/**
 * Whether a delivery's whole window passed without its turn, while every attempt at its webhook failed from before the window
 * began until after it ended. Where it was us who stood still, no attempt came after the end, and it gets one.
 */
async function hopeless(core: Core, { target, deadline_at, attempt, window_from = 0 }: JobRecord): Promise<boolean> {
  if (attempt > window_from || core.storeClock.now() <= Date.parse(deadline_at)) return false;
  const failing = (await find<WebhookState>(core, "webhook_states", target))?.value.failing;
  const began = iso(Date.parse(deadline_at) - DELIVERY_WINDOW_MS);
  return failing !== null && failing !== undefined && failing.since <= began && failing.latest > deadline_at;
}

/** One signed request. The body is signed and sent as the same bytes. */
export async function post(
  core: Core,
  webhook: WebhookRecord,
  message: { id: string; event: string; attempt: number; body: string },
  signal?: AbortSignal,
) {
  const now = core.clock.now();
  const live = webhook.secrets.filter(({ until }) => until === null || Date.parse(until) > now);
  const secrets = await Promise.all(live.map(({ sealed }) => core.seal.open(sealed)));
  const headers = {
    "content-type": "application/json",
    ...signatures({
      id: message.id,
      timestamp: Math.floor(now / 1000),
      body: message.body,
      secrets,
      headerName: core.options.brand.signatureHeader,
    }),
    "X-Service-Event": message.event,
    "X-Service-Attempt": String(message.attempt),
  };
  return core.webhookClient.post(webhook.url, { headers, body: message.body }, signal);
}
