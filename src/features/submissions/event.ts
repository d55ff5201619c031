import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import type { JobRecord } from "../../model/jobs.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { seenBy } from "../privacy/shown.ts";
import type { FormatEvent } from "../webhooks/formats/types.ts";
import { toSubmission } from "./view.ts";

/** The content of a delivery, fixed with it, so that each attempt sends the same. */
export async function eventOf(
  core: Core,
  form: Row<"forms">,
  job: JobRecord,
  submission: SubmissionRecord,
): Promise<FormatEvent> {
  const webhook = form.value.webhooks.find(({ id }) => id === job.target);
  const seen = await seenBy(core, form.value, job.submission_id, submission, "webhook", webhook?.restriction);
  const record = { ...seen, spam: job.spam };
  const { read: _, ...shown } = toSubmission(core, job.submission_id, record, Date.parse(job.links_expire_at));
  const change = job.changed && { changed: job.changed, at: job.occurred_at };
  return { type: job.event, ...change, form: { id: form.id, name: form.value.name }, submission: shown };
}
