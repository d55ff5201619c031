import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { keepsFrom } from "../../model/field-policy.ts";
import { type Delivery, type JobRecord, toDelivery } from "../../model/jobs.ts";
import type { Caller } from "../../model/keys.ts";
import type { DeliveryListQuery } from "../../model/webhooks.ts";
import { webhookOf } from "../forms/webhooks.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import { sendAgain } from "./again.ts";

/**
 * A webhook's deliveries, the latest outcome first. `before` takes the last `occurred_at` of a page and leads on without a gap
 * or a repeat. Throws `webhook_not_found`.
 */
export async function listDeliveries(
  core: Core,
  caller: Pick<Caller, "sees">,
  form: Row<"forms">,
  webhookId: string,
  { status, limit, before }: DeliveryListQuery,
): Promise<{ data: Delivery[]; has_more: boolean }> {
  const { rows, has_more } = await deliveryRows(core, form, webhookId, { status, limit, before });
  return { data: rows.map(({ value }) => shownTo(caller, form, value)), has_more };
}

/** A delivery as a caller may see it. A receiver may repeat what it was sent, also the values that are kept from agents. */
function shownTo({ sees }: Pick<Caller, "sees">, form: Row<"forms">, job: JobRecord): Delivery {
  const { message, ...rest } = toDelivery(job);
  const isKept = sees !== undefined && job.http_status !== undefined && keepsFrom(form.value.settings.fields, sees);
  return { ...rest, ...(message !== undefined && !isKept && { message }) };
}

/** The same, as stored rows. */
export async function deliveryRows(
  core: Core,
  form: Row<"forms">,
  webhookId: string,
  { status, limit, before }: DeliveryListQuery,
): Promise<{ rows: Row<"jobs">[]; has_more: boolean }> {
  webhookOf(form.value, webhookId);
  const [index, equals] = status ? ["target_status", { target: webhookId, status }] : ["target", { target: webhookId }];
  const where = before === undefined ? [] : [{ column: "occurred_at", op: "lt", value: before } as const];
  const partitions = [{ index, equals }];
  // One more than a page, to see the time of the delivery after it.
  const { rows, next } = await core.rows.page("jobs", { partitions, where, order: "desc", limit: limit + 1 });
  const behind = rows.length > limit ? rows.pop()?.value : undefined;
  if (!behind) return { rows, has_more: next !== null };
  // Deliveries that were never attempted may share the millisecond of their submissions. If a page ended between two of them,
  // `before` would skip the second, so it ends before them if possible.
  const whole = rows.filter(({ value }) => value.occurred_at !== behind.occurred_at);
  return { rows: whole.length > 0 ? whole : rows, has_more: true };
}

/** The delivery of one submission to one webhook. Throws `webhook_not_found`, `delivery_not_found`. */
export async function retrieveDelivery(
  core: Core,
  caller: Pick<Caller, "sees">,
  form: Row<"forms">,
  webhookId: string,
  submissionId: string,
): Promise<Delivery> {
  webhookOf(form.value, webhookId);
  return shownTo(caller, form, (await findDelivery(core, webhookId, submissionId)).value);
}

/**
 * Sends a delivery again, whatever its state is and even if the webhook is disabled: same `webhook-id`, counting its attempts
 * on, 72 h of retries. One that was spam or beyond the plan's month is counted in the month first. Throws `webhook_not_found`,
 * `delivery_not_found`, `submission_not_stored`, and `plan_restricted` if the month is full.
 */
export async function redeliver(
  core: Core,
  caller: Pick<Caller, "sees">,
  form: Row<"forms">,
  webhookId: string,
  submissionId: string,
): Promise<Delivery> {
  webhookOf(form.value, webhookId);
  const row = await findDelivery(core, webhookId, submissionId);
  return shownTo(caller, form, await sendAgain(core, row, () => new ApiError("delivery_not_found")));
}

async function findDelivery(core: Core, webhookId: string, submissionId: string): Promise<Row<"jobs">> {
  const jobs = await jobsOf(core, submissionId);
  const found = jobs.find(({ value }) => value.kind === "webhook" && value.target === webhookId);
  if (!found) throw new ApiError("delivery_not_found");
  return found;
}
