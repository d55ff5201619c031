import type { Core } from "../core/core.ts";
import type { Row } from "../core/rows.ts";

/** Far more than one submission has: one for each webhook and recipient of its form. */
const MAX_JOBS = 1_000;

/** All deliveries of a submission, to webhooks and by email. */
export async function jobsOf(core: Core, submission_id: string): Promise<Row<"jobs">[]> {
  const partitions = [{ index: "submission", equals: { submission_id } }];
  return (await core.rows.page("jobs", { partitions, order: "asc", limit: MAX_JOBS })).rows;
}
