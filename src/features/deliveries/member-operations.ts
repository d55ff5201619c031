import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { memberOperation } from "../../core/member-operation.ts";
import type { Row } from "../../core/rows.ts";
import { type Caller, hasScope, type Scope } from "../../model/keys.ts";
import { RecoverInput } from "../../model/webhooks.ts";
import { troublesOf } from "../jobs/of-submission.ts";
import { causeOf, staysUnsent } from "./again.ts";
import { deliveryRequestOf } from "./delivery-request.ts";
import { differenceOf } from "./difference.ts";
import { deliveriesOf, LogQuery, loggedDelivery, logOf } from "./log.ts";
import { recoverable } from "./recover.ts";

const logs: readonly Scope[] = ["forms:read", "submissions:read"];
const OfJob = z.strictObject({ job_id: z.string() });

/** Reads of deliveries that the inbox shows beyond the lists of the API. */
export const deliveryOperations = {
  listDeliveryLog: memberOperation({
    form: "live",
    scopes: logs,
    body: LogQuery,
    handler: ({ core, form, body }) => logOf(core, form, body),
  }),
  /** A delivery, and true as `again` if this person may have it sent again. */
  retrieveLoggedDelivery: memberOperation({
    form: "live",
    scopes: logs,
    body: OfJob,
    handler: async ({ core, caller, form, body }) => {
      const row = await loggedDelivery(core, form, body.job_id);
      return { ...row, again: await maySendAgain(core, caller, form, row) };
    },
  }),
  /** The deliveries that a submission caused. */
  listSubmissionDeliveries: memberOperation({
    form: "kept",
    scopes: logs,
    body: z.strictObject({ submission_id: z.string() }),
    handler: async ({ core, caller, form, form_id, body }) =>
      Promise.all(
        (await deliveriesOf(core, form_id, body.submission_id)).map(async (row) => ({
          ...row,
          again: await maySendAgain(core, caller, form, row),
        })),
      ),
  }),
  /** The fields of a failed delivery, compared with those that arrived. */
  compareDelivery: memberOperation({
    form: "live",
    scopes: logs,
    body: OfJob,
    handler: async ({ core, form, body }) => differenceOf(core, form, await loggedDelivery(core, form, body.job_id)),
  }),
  /** The request of a webhook's delivery. Null for a mail, and for people from whom values are kept: its body has them all. */
  showDeliveryRequest: memberOperation({
    form: "live",
    scopes: logs,
    body: OfJob,
    handler: async ({ core, caller, form, redaction, body }) => {
      const row = await loggedDelivery(core, form, body.job_id);
      if (row.value.kind !== "webhook" || redaction) return null;
      return deliveryRequestOf(core, form, row, hasScope(caller, "forms:write"));
    },
  }),
  /** The number of deliveries that `recoverDeliveries` would send again. */
  countRecoverable: memberOperation({
    form: "live",
    scopes: [...logs, "forms:write"],
    body: RecoverInput.extend({ webhook_id: z.string() }),
    handler: ({ core, form, body: { webhook_id, ...asked } }) => recoverable(core, form, webhook_id, asked),
  }),
  /** The worst state of deliveries in trouble, by the id of a submission. */
  listTroubles: memberOperation({
    form: "kept",
    scopes: ["submissions:read"],
    body: z.strictObject({ submissions: z.array(z.object({ id: z.string(), created_at: z.string() })) }),
    handler: async ({ core, form_id, body: { submissions } }) =>
      Object.fromEntries(
        await troublesOf(
          core,
          submissions.map((one) => ({ ...one, form_id })),
        ),
      ),
  }),
};

async function maySendAgain(
  core: Core,
  caller: Caller,
  form: Row<"forms"> | null,
  { value: job }: Row<"jobs">,
): Promise<boolean> {
  if (!form || !hasScope(caller, "forms:write")) return false;
  if (job.kind === "webhook" && !form.value.webhooks.some(({ id }) => id === job.target)) return false;
  if (job.submission_id === "") return true;
  const submission = await causeOf(core, job);
  return submission !== null && !staysUnsent(job, submission);
}
