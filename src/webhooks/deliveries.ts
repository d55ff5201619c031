import { type Core, update } from "../core.ts";
import type { Stored } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import { reachForm } from "../forms/access.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import { reopened } from "../jobs/reopen.ts";
import { type Delivery, type JobRecord, toDelivery } from "../jobs/schema.ts";
import type { Caller } from "../keys/schema.ts";
import { contentOf } from "../submissions/content.ts";
import type { SubmissionRecord } from "../submissions/schema.ts";
import type { DeliveryListQuery } from "./schema.ts";

/**
 * A webhook's deliveries, the latest outcome first. `before` takes the last `occurred_at` of a page and leads on without a gap
 * or a repeat. Throws `webhook_not_found` and what `reachForm` throws.
 */
export async function listDeliveries(
  core: Core,
  caller: Caller,
  formId: string,
  webhookId: string,
  { status, limit, before }: DeliveryListQuery,
): Promise<{ data: Delivery[]; has_more: boolean }> {
  await reachWebhook(core, caller, formId, webhookId);
  const [index, equals] = status ? ["target_status", { target: webhookId, status }] : ["target", { target: webhookId }];
  const rows = (await core.storage.page("jobs", {
    index,
    equals,
    where: before === undefined ? [] : [{ column: "occurred_at", op: "lt", value: before }],
    order: "desc",
    limit: limit + 1,
  })) as unknown as Stored<JobRecord>[];
  const jobs = rows.map(({ value }) => value);
  const next = jobs.length > limit ? jobs.pop() : undefined;
  if (!next) return { data: jobs.map(toDelivery), has_more: false };
  // Deliveries that were never attempted may share the millisecond of their submissions: a page that ended between two of them
  // would lose the second to `before`, so it ends ahead of them where it can.
  const whole = jobs.filter(({ occurred_at }) => occurred_at !== next.occurred_at);
  return { data: (whole.length > 0 ? whole : jobs).map(toDelivery), has_more: true };
}

/** The delivery of one submission to one webhook. Throws `webhook_not_found`, `delivery_not_found`. */
export async function retrieveDelivery(
  core: Core,
  caller: Caller,
  formId: string,
  webhookId: string,
  submissionId: string,
): Promise<Delivery> {
  await reachWebhook(core, caller, formId, webhookId);
  return toDelivery((await findDelivery(core, webhookId, submissionId)).value);
}

/**
 * Sends a delivery again, whatever became of it and whether or not the webhook is enabled: same `webhook-id`, attempts go on
 * counting, 72 h to succeed. Throws `webhook_not_found`, `delivery_not_found`, `submission_not_stored`.
 */
export async function redeliver(
  core: Core,
  caller: Caller,
  formId: string,
  webhookId: string,
  submissionId: string,
): Promise<Delivery> {
  await reachWebhook(core, caller, formId, webhookId);
  const { id } = await findDelivery(core, webhookId, submissionId);
  const job = await update<JobRecord>(
    core,
    "jobs",
    id,
    async (before) => {
      const submission = await contentOf(core, submissionId);
      if (!submission) throw new ApiError("submission_not_stored");
      return askedAgain(core, before, submission);
    },
    () => new ApiError("delivery_not_found"),
  );
  core.queue.wake(job.lane);
  return toDelivery(job);
}

/** A delivery as a caller has it sent again: also to a webhook that is off. */
export function askedAgain(core: Core, job: JobRecord, submission: SubmissionRecord): JobRecord {
  // What no receiver has seen yet says what is true now; afterwards every attempt sends the same bytes.
  const spam = job.attempt === 0 ? submission.spam : job.spam;
  return { ...reopened(core, job), spam, forced: true };
}

/** Throws `webhook_not_found` and what `reachForm` throws. */
export async function reachWebhook(core: Core, caller: Caller, formId: string, webhookId: string): Promise<void> {
  const { value } = await reachForm(core, caller, formId);
  if (!value.webhooks.some(({ id }) => id === webhookId)) throw new ApiError("webhook_not_found");
}

async function findDelivery(core: Core, webhookId: string, submissionId: string): Promise<Stored<JobRecord>> {
  const jobs = await jobsOf(core, submissionId);
  const found = jobs.find(({ value }) => value.kind === "webhook" && value.target === webhookId);
  if (!found) throw new ApiError("delivery_not_found");
  return found;
}
