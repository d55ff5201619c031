import { z } from "zod";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { parseInput } from "../../lib/input.ts";
import { Cursor, Moment } from "../../lib/wire.ts";
import type { Attempt } from "../../model/attempts.ts";
import { addresseeOf, type Delivery, DeliveryStatus, JobKind, type JobRecord, toDelivery } from "../../model/jobs.ts";
import { formRun, jobsRun, pageOfJobs } from "./page.ts";

/** Filters of a list of deliveries. Strict: a misspelt `form_id` must not list every form's. */
export const JobsQuery = z.strictObject({
  /** Only jobs of this form. */
  form_id: z.string().optional(),
  /** Only jobs of this submission. */
  submission_id: z.string().optional(),
  /** Only jobs of this kind. */
  kind: JobKind.optional(),
  /** Only jobs in this state. */
  status: DeliveryStatus.optional(),
  /** Only jobs created at this time or later: the list reads nothing older. An ISO 8601 time with any offset. */
  since: Moment.optional(),
});
export type JobsQuery = z.input<typeof JobsQuery>;

/** A delivery of any kind: to a webhook, an owner or a submitter. */
export type JobView = Delivery & {
  /** The job's id. */
  id: string;
  /** A webhook, or the kind of mail. */
  kind: JobKind;
  /** The recipient's address, or the webhook's URL. */
  target: string;
  /** The form it belongs to. */
  form_id: string;
  /** The latest 12 of its attempts, oldest first. */
  attempts: Attempt[];
};

/** Filters and position of a page of a form's deliveries. */
export const JobsPageQuery = JobsQuery.omit({ since: true }).extend({
  /** Only jobs of this form. */
  form_id: z.string(),
  /** Jobs per page, at most 100. */
  limit: z.int().min(1).max(100).default(25),
  cursor: Cursor,
});
export type JobsPageQuery = z.input<typeof JobsPageQuery>;

/** A page of deliveries, and the cursor of the next one. */
export interface JobList {
  /** The jobs of this page, newest first. */
  data: JobView[];
  /** True where another page follows. */
  has_more: boolean;
  /** The `cursor` of the next page; null on the last. */
  next_cursor: string | null;
}

const MAX_ROWS = 1_000;

/** The deliveries that match, newest first, at most 1,000. Throws `invalid_parameter`. */
export async function listJobs(core: Core, query: JobsQuery): Promise<JobView[]> {
  const { form_id, submission_id, kind, status, since } = parseInput(JobsQuery, query);
  const [index, equals] =
    submission_id !== undefined
      ? ["submission", { submission_id }]
      : form_id !== undefined
        ? formRun(form_id, status)
        : status !== undefined
          ? ["status", { status }]
          : ["all", {}];
  const where = since === undefined ? [] : [{ column: "created_at", op: "gte", value: since } as const];
  const found: JobView[] = [];
  for await (const rows of core.rows.walk("jobs", { index, equals, where, order: "desc" })) {
    for (const { id, value } of rows) {
      if (form_id !== undefined && value.form_id !== form_id) continue;
      if ((kind !== undefined && value.kind !== kind) || (status !== undefined && value.status !== status)) continue;
      found.push(toJobView(id, value));
      if (found.length === MAX_ROWS) return found;
    }
  }
  return found;
}

/** The deliveries of a form, newest first; those of deleted forms as well. Throws `invalid_parameter`. */
export async function pageJobs(core: Core, query: JobsPageQuery): Promise<JobList> {
  const { form_id, submission_id, kind, status, limit, cursor } = parseInput(JobsPageQuery, query);
  return pageOfJobs(core, {
    run: jobsRun(form_id, submission_id, status),
    scope: JSON.stringify(["jobs", form_id, submission_id, kind, status]),
    limit,
    cursor,
    shown({ id, value }) {
      if (value.form_id !== form_id) return null;
      if ((kind !== undefined && value.kind !== kind) || (status !== undefined && value.status !== status)) return null;
      return toJobView(id, value);
    },
  });
}

/** One delivery of any kind. Throws `not_found`. */
export async function getJob(core: Core, id: string): Promise<JobView> {
  return toJobView(id, (await findJob(core, id)).value);
}

/** The row of a delivery. Throws `not_found`. */
export async function findJob(core: Core, id: string): Promise<Row<"jobs">> {
  const row = await core.rows.get("jobs", id);
  if (!row) throw noJob();
  return row;
}

export const noJob = (): ApiError => new ApiError("not_found", { message: "There is no job with this id." });

export const toJobView = (id: string, job: JobRecord): JobView => ({
  ...toDelivery(job),
  id,
  kind: job.kind,
  target: addresseeOf(job),
  form_id: job.form_id,
  attempts: job.attempts ?? [],
});
