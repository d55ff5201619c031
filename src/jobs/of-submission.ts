import type { Core } from "../core.ts";
import type { Stored } from "../drivers/storage/types.ts";
import type { JobRecord } from "./schema.ts";

/** Far more than one submission has: one for each webhook and recipient of its form. */
const MAX_JOBS = 1_000;

/** All deliveries of a submission, to webhooks and by email. */
export async function jobsOf(core: Core, submission_id: string): Promise<Stored<JobRecord>[]> {
  const query = { index: "submission", equals: { submission_id }, order: "asc", limit: MAX_JOBS } as const;
  return (await core.storage.page("jobs", query)) as unknown as Stored<JobRecord>[];
}
