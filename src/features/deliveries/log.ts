import { z } from "zod";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { Cursor } from "../../lib/wire.ts";
import { isShown, type LogPage } from "../../model/deliveries.ts";
import { DeliveryStatus } from "../../model/jobs.ts";
import { DeliveryListQuery } from "../../model/webhooks.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import { jobsRun, pageOfJobs } from "../jobs/page.ts";
import { deliveryRows } from "./service.ts";

const PAGE = 50;

/** A page of the log: `before` begins it for one webhook, `cursor` for all others. */
export const LogQuery = z.strictObject({
  webhook: z.string().nullable().describe("A webhook's id, `emails`, or null for all."),
  status: DeliveryStatus.nullable(),
  before: DeliveryListQuery.shape.before,
  cursor: Cursor,
});
export type LogQuery = z.output<typeof LogQuery>;

/** A page of a form's deliveries, newest first. Throws `webhook_not_found`, `invalid_parameter`. */
export async function logOf(
  core: Core,
  form: Row<"forms">,
  { webhook, status, before, cursor }: LogQuery,
): Promise<LogPage> {
  if (webhook !== null && webhook !== "emails") {
    const { rows, has_more } = await deliveryRows(core, form, webhook, {
      limit: PAGE,
      ...(status && { status }),
      ...(before !== undefined && { before }),
    });
    const last = rows.at(-1)?.value.occurred_at;
    return { rows, older: has_more && last ? { before: last } : null };
  }
  const { data, next_cursor } = await pageOfJobs(core, {
    run: jobsRun(form.id, undefined),
    scope: JSON.stringify(["inbox", form.id, webhook, status]),
    limit: PAGE,
    cursor,
    shown: (row) =>
      isShown(row.value) &&
      (webhook === null || row.value.kind !== "webhook") &&
      (status === null || row.value.status === status)
        ? row
        : null,
  });
  return { rows: data, older: next_cursor === null ? null : { cursor: next_cursor } };
}

/** A delivery of the form. Throws `not_found`. */
export async function loggedDelivery(core: Core, { id: form_id }: Row<"forms">, id: string): Promise<Row<"jobs">> {
  const row = await core.rows.get("jobs", id);
  if (row?.value.form_id !== form_id || !isShown(row.value)) throw new ApiError("not_found");
  return row;
}

/** The deliveries of a submission of the form, in the order in which they were planned. */
export async function deliveriesOf(core: Core, form_id: string, submission_id: string): Promise<Row<"jobs">[]> {
  return (await jobsOf(core, submission_id)).filter(({ value }) => value.form_id === form_id && isShown(value));
}
