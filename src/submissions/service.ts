import { type Core, find, update } from "../core.ts";
import type { Lane } from "../drivers/queue/types.ts";
import { StaleWriteError, type Stored, type Write } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import type { FormRecord } from "../forms/schema.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import { planJobs } from "../jobs/plan.ts";
import { reopened } from "../jobs/reopen.ts";
import type { Caller } from "../keys/schema.ts";
import { iso } from "../lib/clock.ts";
import { reachSubmissions } from "./access.ts";
import { removal } from "./removal.ts";
import type {
  HostSubmission,
  SubmissionBulk,
  SubmissionBulkResult,
  SubmissionDeleted,
  SubmissionPatch,
  SubmissionRecord,
} from "./schema.ts";
import { toHostSubmission } from "./view.ts";

/** Submissions that one transaction of a bulk action changes. */
const BULK = 100;
const TRIES = 20;

const missing = (): ApiError => new ApiError("submission_not_found");

/** One submission. Throws `submission_not_found` and what `reachForm` throws. */
export async function retrieveSubmission(
  core: Core,
  caller: Caller,
  formId: string,
  id: string,
): Promise<HostSubmission> {
  await reachSubmissions(core, caller, formId);
  return toHostSubmission(core, id, await load(core, formId, id));
}

/**
 * Sets the flags that are sent. `deliver` with `spam: false` also runs the email and webhooks that spam had skipped, once however
 * often it is asked for. Throws `submission_not_found` and what `reachForm` throws.
 */
export async function updateSubmission(
  core: Core,
  caller: Caller,
  formId: string,
  id: string,
  patch: SubmissionPatch,
  { deliver = false }: { deliver?: boolean | undefined } = {},
): Promise<HostSubmission> {
  await reachSubmissions(core, caller, formId);
  let released: ReleasedJob[] = [];
  const value = await update<SubmissionRecord>(
    core,
    "submissions",
    id,
    async (record) => {
      if (record.form_id !== formId) throw missing();
      const next = flagged(record, patch, core.clock.now());
      released = deliver && patch.spam === false ? await releasedJobs(core, id, record) : [];
      return next ?? (released.length > 0 ? record : null);
    },
    missing,
    () => released.map(({ write }) => write),
  );
  for (const lane of new Set(released.map((job) => job.lane))) core.queue.wake(lane);
  return toHostSubmission(core, id, value);
}

/** Removes a submission with its files; what is still to be delivered of it is skipped. Throws `submission_not_found`. */
export async function deleteSubmission(
  core: Core,
  caller: Caller,
  formId: string,
  id: string,
): Promise<SubmissionDeleted> {
  await reachSubmissions(core, caller, formId);
  await core.storage.commit(await removal(core, id, await load(core, formId, id)));
  return { id, deleted: true };
}

/** Does one thing to many submissions, 100 in a transaction. Ids that the form does not have are answered, not refused. */
export async function bulkSubmissions(
  core: Core,
  caller: Caller,
  formId: string,
  { action, ids }: SubmissionBulk,
): Promise<SubmissionBulkResult> {
  await reachSubmissions(core, caller, formId);
  const distinct = [...new Set(ids)];
  const result: SubmissionBulkResult = { changed: 0, not_found: [] };
  for (let start = 0; start < distinct.length; start += BULK) {
    const { changed, not_found } = await bulkOnce(core, formId, action, distinct.slice(start, start + BULK));
    result.changed += changed;
    result.not_found.push(...not_found);
  }
  return result;
}

async function load(core: Core, formId: string, id: string): Promise<SubmissionRecord> {
  const row = await find<SubmissionRecord>(core, "submissions", id);
  if (row?.value.form_id !== formId) throw missing();
  return row.value;
}

/** The record with other flags; null when it has them already. */
function flagged(record: SubmissionRecord, patch: SubmissionPatch, now: number): SubmissionRecord | null {
  const { read = record.read, spam = record.spam } = patch;
  return read === record.read && spam === record.spam ? null : { ...record, read, spam, updated_at: iso(now) };
}

const patches = {
  mark_read: { read: true },
  mark_unread: { read: false },
  mark_spam: { spam: true },
  mark_not_spam: { spam: false },
} as const;

async function bulkOnce(
  core: Core,
  formId: string,
  action: SubmissionBulk["action"],
  ids: readonly string[],
): Promise<SubmissionBulkResult> {
  for (let attempt = 1; ; attempt++) {
    const rows = (await core.storage.get("submissions", ids)) as unknown as Map<string, Stored<SubmissionRecord>>;
    const found = [...rows.values()].filter(({ value }) => value.form_id === formId);
    const known = new Set(found.map(({ id }) => id));
    const writes: Write[] = [];
    let changed = 0;
    for (const { id, value, version } of found) {
      const next = action === "delete" ? null : flagged(value, patches[action], core.clock.now());
      if (action === "delete") writes.push(...(await removal(core, id, value)));
      else if (next) writes.push({ op: "put", collection: "submissions", id, value: { ...next }, expect: version });
      else continue;
      changed++;
    }
    try {
      if (writes.length > 0) await core.storage.commit(writes);
      return { changed, not_found: ids.filter((id) => !known.has(id)) };
    } catch (error) {
      if (!(error instanceof StaleWriteError) || attempt === TRIES) throw error;
    }
  }
}

interface ReleasedJob {
  readonly write: Write;
  readonly lane: Lane;
}

/** What a submission causes once it is no longer spam: the deliveries skipped as spam, or all of them where none was planned. */
async function releasedJobs(core: Core, id: string, record: SubmissionRecord): Promise<ReleasedJob[]> {
  const jobs = await jobsOf(core, id);
  if (jobs.length === 0 && record.spam) {
    const form = await find<FormRecord>(core, "forms", record.form_id);
    const planned = form ? planJobs(core, form, id, { ...record, spam: false }, core.clock.now()) : [];
    return planned.map(({ id: jobId, job }) => ({
      lane: job.lane,
      write: { op: "put", collection: "jobs", id: jobId, value: { ...job }, expect: null },
    }));
  }
  return jobs
    .filter(({ value }) => value.code === "SKIPPED_SPAM")
    .map(({ id: jobId, value, version }) => ({
      lane: value.lane,
      write: {
        op: "put",
        collection: "jobs",
        id: jobId,
        value: { ...reopened(core, value), spam: false },
        expect: version,
      },
    }));
}
