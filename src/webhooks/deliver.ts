import { type Core, find, update } from "../core.ts";
import { ApiError } from "../errors.ts";
import type { FormRecord } from "../forms/schema.ts";
import { type JobOutcome, skipped } from "../jobs/outcome.ts";
import type { JobRecord } from "../jobs/schema.ts";
import { contentOf } from "../submissions/content.ts";
import { toSubmission } from "../submissions/view.ts";
import { loadTeam } from "../teams/service.ts";
import { retryable } from "./codes.ts";
import type { WebhookRecord } from "./schema.ts";
import { signatures } from "./sign.ts";

/** Sends one delivery to its webhook, unless it stopped being wanted since it was planned. */
export async function deliverWebhook(
  core: Core,
  jobId: string,
  job: JobRecord,
  signal: AbortSignal,
): Promise<JobOutcome> {
  const form = await find<FormRecord>(core, "forms", job.form_id);
  const webhook = form?.value.webhooks.find(({ id }) => id === job.target);
  if (!form || !webhook) return skipped("SKIPPED_WEBHOOK_DELETED");
  if (!webhook.enabled && !job.forced) return skipped("SKIPPED_WEBHOOK_DISABLED");
  if (!(webhook.events as string[]).includes(job.event)) return skipped("SKIPPED_EVENT_NOT_SUBSCRIBED");
  if (!(await loadTeam(core, job.team_id))?.value.active) return skipped("SKIPPED_TEAM_INACTIVE");
  const submission = await contentOf(core, job.submission_id);
  if (!submission) return skipped("SKIPPED_SUBMISSION_DELETED");

  const { read: _, ...data } = toSubmission(core, job.submission_id, { ...submission, spam: job.spam });
  const body = JSON.stringify({ type: job.event, timestamp: submission.created_at, data });
  const attempt = await post(core, webhook, { id: jobId, event: job.event, attempt: job.attempt + 1, body }, signal);
  if (attempt.gone) await disableGone(core, job);
  return {
    status: attempt.ok ? "succeeded" : retryable(attempt.code) && !attempt.gone ? "retry" : "failed",
    code: attempt.code,
    message: attempt.message || undefined,
    http_status: attempt.http_status,
    node_error_code: attempt.node_error_code,
    retryAfter: attempt.retry_after,
    slow: attempt.code === "ERROR_WEBHOOK_TIMEOUT" || attempt.http_status === 429,
  };
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

/** 410 says that the receiver wants no more, ever. */
async function disableGone(core: Core, job: JobRecord): Promise<void> {
  await update<FormRecord>(
    core,
    "forms",
    job.form_id,
    (form) => ({
      ...form,
      webhooks: form.webhooks.map((webhook) => (webhook.id === job.target ? { ...webhook, enabled: false } : webhook)),
    }),
    () => new ApiError("form_not_found"),
  );
  core.cached.forms.drop(job.form_id);
  core.events.emit("webhook.disabled", {
    form_id: job.form_id,
    webhook_id: job.target,
    reason: "The receiver answered 410 Gone.",
  });
}
