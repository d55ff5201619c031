import type { FormRecord } from "../../model/form-record.ts";
import type { Posted } from "./fields.ts";

/** A body up to this size is parsed at once; a larger one waits for a turn of its team. */
export const LIGHT_BYTES = 16 * 1024;
/** The largest weight of a post that may go past heavy work. A field weighs 1. */
const LIGHT_WEIGHT = 100;
/** The weight of a delivery: it costs the store a row with its indexes, and the worker a run. */
const DELIVERY_WEIGHT = 4;

/** True if a post costs so much that it must not go past other teams' posts. */
export function isHeavy(
  { webhooks, self_email_notification: mail }: Pick<FormRecord, "webhooks" | "self_email_notification">,
  { fields }: Pick<Posted, "fields">,
): boolean {
  return fields.length + DELIVERY_WEIGHT * (webhooks.length + mail.recipients.length) > LIGHT_WEIGHT;
}
