import type { Core } from "../../core/core.ts";
import { addresseeOf, type JobRecord } from "../../model/jobs.ts";
import { type JobOutcome, skipped } from "../../model/outcome.ts";
import type { Read } from "../jobs/reads.ts";
import { suppressionId } from "./service.ts";

/** The end of a mail to an address that bounced, complained, or was put on the list by hand. */
const SUPPRESSED = "ERROR_EMAIL_SUPPRESSED";

/** Null where an address may get a team's mail; otherwise the end of the mail. */
export async function suppressed(
  core: Core,
  team_id: string,
  address: string,
  read: Read = core.rows.batched,
): Promise<JobOutcome | null> {
  if (address === "") return null;
  return (await read("suppressions", suppressionId(team_id, address))) ? skipped(SUPPRESSED) : null;
}

/** The same for the recipient of a job. */
export const suppressedJob = (core: Core, job: JobRecord, read?: Read): Promise<JobOutcome | null> =>
  suppressed(core, job.team_id, addresseeOf(job), read);
