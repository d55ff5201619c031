import { z } from "zod";
import type { Core } from "../core.ts";
import type { Stored } from "../drivers/storage/types.ts";
import { parseInput } from "../lib/input.ts";
import { type Delivery, DeliveryStatus, JobKind, type JobRecord, toDelivery } from "./schema.ts";

/** Which deliveries a list shows. Strict: a misspelt `form_id` must not list every form's. */
export const JobsQuery = z.strictObject({
  form_id: z.string().optional(),
  submission_id: z.string().optional(),
  kind: JobKind.optional(),
  status: DeliveryStatus.optional(),
});
export type JobsQuery = z.input<typeof JobsQuery>;

/** A delivery of any kind: to a webhook, an owner or a submitter. */
export type JobView = Delivery & { id: string; kind: JobKind; target: string; form_id: string };

const MAX_ROWS = 1_000;

/** The deliveries that match, newest first, at most 1,000. Throws `invalid_parameter`. */
export async function listJobs(core: Core, query: JobsQuery): Promise<JobView[]> {
  const { form_id, submission_id, kind, status } = parseInput(JobsQuery, query);
  const [index, equals] =
    submission_id !== undefined
      ? ["submission", { submission_id }]
      : form_id !== undefined
        ? ["form", { form_id }]
        : ["all", {}];
  const found: JobView[] = [];
  for (let after: { sort: string; id: string } | undefined; ; ) {
    const rows = (await core.storage.page("jobs", {
      index,
      equals,
      after,
      order: "desc",
      limit: 500,
    })) as unknown as Stored<JobRecord>[];
    for (const { id, value } of rows) {
      if (form_id !== undefined && value.form_id !== form_id) continue;
      if ((kind !== undefined && value.kind !== kind) || (status !== undefined && value.status !== status)) continue;
      found.push({ ...toDelivery(value), id, kind: value.kind, target: value.target, form_id: value.form_id });
      if (found.length === MAX_ROWS) return found;
    }
    const last = rows.at(-1);
    if (rows.length < 500 || !last) return found;
    after = { sort: last.value.created_at, id: last.id };
  }
}
