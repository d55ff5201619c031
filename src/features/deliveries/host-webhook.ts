import type { Core } from "../../core/core.ts";
import { allRecipients, type JobRecord } from "../../model/jobs.ts";
import { type JobOutcome, skipped } from "../../model/outcome.ts";
import type { ClaimedJob } from "../jobs/reads.ts";
import { judge } from "../webhooks/formats/judge.ts";
import { standard } from "../webhooks/formats/standard.ts";
import { signatures } from "../webhooks/sign.ts";

/** Sends one event to a webhook of the host's, unless the options no longer have it. */
export async function deliverHost(
  core: Core,
  { id, value: job }: ClaimedJob,
  signal: AbortSignal,
): Promise<JobOutcome> {
  const webhook = core.options.hostWebhooks.find((one) => one.id === job.target);
  if (!webhook || !job.host) return skipped("SKIPPED_WEBHOOK_DELETED");
  if (!(webhook.events as ReadonlySet<string>).has(job.event)) return skipped("SKIPPED_EVENT_NOT_SUBSCRIBED");
  const body = JSON.stringify({ type: job.event, timestamp: job.created_at, data: await dataOf(core, job) });
  const headers = {
    ...standard.headers,
    ...signatures({
      id,
      timestamp: Math.floor(core.clock.now() / 1000),
      body,
      secrets: [webhook.secret],
      headerName: core.options.brand.signatureHeader,
    }),
    "X-Service-Event": job.event,
    "X-Service-Attempt": String(job.attempt + 1),
  };
  const attempt = judge(await core.webhookClient.post(webhook.url, { headers, body }, signal), standard);
  const { end, code, http_status, node_error_code, retry_after } = attempt;
  return {
    status: end === "delivered" ? "succeeded" : end === "retry" ? "retry" : "failed",
    code,
    message: attempt.message || undefined,
    ours: http_status === undefined,
    http_status,
    node_error_code,
    retryAfter: retry_after,
    slow: code === "ERROR_WEBHOOK_TIMEOUT" || http_status === 429,
  };
}

/** The event's data, with the recipient of the mail that it is about, unless the address was erased. */
async function dataOf(core: Core, { host }: JobRecord): Promise<object> {
  const data: object = JSON.parse(host?.data ?? "{}");
  if (host?.mail_id === undefined) return data;
  const mail = await core.rows.get("jobs", host.mail_id);
  return { ...data, email: (mail && allRecipients(mail.value)[host.recipient ?? 0]) || null };
}
