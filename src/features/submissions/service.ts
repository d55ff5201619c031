import type { Core } from "../../core/core.ts";
import { put, type Row, retrying } from "../../core/rows.ts";
import type { Lane } from "../../drivers/queue/types.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import type { JobRecord } from "../../model/jobs.ts";
import type { Caller } from "../../model/keys.ts";
import type { SubmissionBulkResult } from "../../model/submission-bulk.ts";
import type {
  HostSubmission,
  SubmissionBulk,
  SubmissionDeleted,
  SubmissionPatch,
  SubmissionRecord,
} from "../../model/submissions.ts";
import { overBlob } from "../files/store.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import { planJobs } from "../jobs/plan.ts";
import { admitted } from "../jobs/quota.ts";
import { reopened } from "../jobs/reopen.ts";
import { shownTo } from "../privacy/shown.ts";
import { removal } from "./removal.ts";
import { type Change, tallied } from "./tally.ts";
import { toHostSubmission } from "./view.ts";

/** Submissions that one transaction of a bulk action changes. */
const BULK = 100;
const TRIES = 20;

const missing = (): ApiError => new ApiError("submission_not_found");
export const misplacedDeliver = (): ApiError =>
  new ApiError("invalid_parameter", { param: "deliver", message: "`deliver` needs the action `mark_not_spam`." });

/** True for actions that support `deliver`. */
export const sendsMissed = (action: SubmissionBulk["action"]): boolean =>
  action === "mark_not_spam" || action === "not_spam";

/** One submission of a form that the caller reaches. Throws `submission_not_found`. */
export async function retrieveSubmission(
  core: Core,
  caller: Caller,
  formId: string,
  id: string,
): Promise<HostSubmission> {
  return viewFor(core, caller, await load(core, formId, id));
}

async function viewFor(core: Core, caller: Caller, row: Row<"submissions">): Promise<HostSubmission> {
  const [shown = row] = await shownTo(core, caller, [row]);
  return toHostSubmission(core, shown.id, shown.value);
}

/**
 * Sets the sent flags. `deliver` with `spam: false` also runs the email and webhooks that spam had skipped, once even if it is
 * repeated; if the plan's month is full they stay skipped. Throws `submission_not_found`.
 */
export async function updateSubmission(
  core: Core,
  caller: Caller,
  formId: string,
  id: string,
  patch: SubmissionPatch,
  { deliver = false }: { deliver?: boolean | undefined } = {},
): Promise<HostSubmission> {
  const { value } = await change(core, formId, id, patch, deliver);
  return viewFor(core, caller, { id, value, version: 0 });
}

async function change(
  core: Core,
  formId: string,
  id: string,
  patch: SubmissionPatch,
  deliver: boolean,
): Promise<{ value: SubmissionRecord; changed: boolean }> {
  let changed = false;
  let released: ReleasedJob[] = [];
  let seen: Write[] = [];
  const delivers = deliver && patch.spam === false;
  if (delivers && (await core.rows.get("submissions", id))?.value.form_id !== formId) throw missing();
  const sends = delivers && (await admitted(core, id));
  const value = await core.rows.update(
    "submissions",
    id,
    async (record) => {
      if (record.form_id !== formId) throw missing();
      const next = flagged(record, patch, core.clock.now());
      released = delivers ? await releasedJobs(core, id, record, sends) : [];
      changed = next !== null || released.length > 0;
      seen = next ? tallied([{ before: record, after: next }], iso(core.clock.now())) : [];
      return next ?? (changed ? record : null);
    },
    missing,
    () => [...released.map(({ write }) => write), ...seen],
  );
  for (const lane of new Set(released.map((job) => job.lane))) core.queue.wake(lane);
  return { value, changed };
}

/** Removes a submission with its files; its remaining deliveries are skipped. Throws `submission_not_found`, `unavailable`. */
export async function deleteSubmission(core: Core, formId: string, id: string): Promise<SubmissionDeleted> {
  // Another writer may have removed it; the next try finds out.
  await retrying(async () => {
    const row = await load(core, formId, id);
    await core.commitNow(await overBlob(core, () => removal(core, row)));
  }, TRIES);
  return { id, deleted: true };
}

/**
 * Changes many submissions: 100 in a transaction, or one by one if it sends deliveries that spam had skipped, so that each is
 * counted in the plan's month or stays skipped. Unknown ids are returned, not refused. Throws `invalid_parameter`, `unavailable`.
 */
export async function bulkSubmissions(
  core: Core,
  formId: string,
  { action, ids, deliver = false }: SubmissionBulk,
): Promise<SubmissionBulkResult> {
  const distinct = [...new Set(ids)];
  const result: SubmissionBulkResult = { changed: 0, not_found: [] };
  if (deliver) {
    if (!sendsMissed(action)) throw misplacedDeliver();
    for (const id of distinct) {
      try {
        const { changed } = await change(core, formId, id, { spam: false }, true);
        if (changed) result.changed++;
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "submission_not_found") throw error;
        result.not_found.push(id);
      }
    }
    return result;
  }
  for (let start = 0; start < distinct.length; start += BULK) {
    const { changed, not_found } = await bulkOnce(core, formId, action, distinct.slice(start, start + BULK));
    result.changed += changed;
    result.not_found.push(...not_found);
  }
  return result;
}

async function load(core: Core, formId: string, id: string): Promise<Row<"submissions">> {
  const row = await core.rows.get("submissions", id);
  if (row?.value.form_id !== formId) throw missing();
  return row;
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
  not_spam: { spam: false },
} as const;

const bulkOnce = (
  core: Core,
  formId: string,
  action: SubmissionBulk["action"],
  ids: readonly string[],
): Promise<SubmissionBulkResult> =>
  retrying(async () => {
    const rows = await core.rows.many("submissions", ids);
    const found = [...rows.values()].filter(({ value }) => value.form_id === formId);
    const known = new Set(found.map(({ id }) => id));
    const writes: Write[] = [];
    const flags: Change[] = [];
    let changed = 0;
    for (const row of found) {
      const { id, value, version } = row;
      const next = action === "delete" ? null : flagged(value, patches[action], core.clock.now());
      if (action === "delete") writes.push(...(await overBlob(core, () => removal(core, row))));
      else if (next) writes.push(put("submissions", id, next, version));
      else continue;
      if (next) flags.push({ before: value, after: next });
      changed++;
    }
    if (writes.length > 0) await core.commitNow([...writes, ...tallied(flags, iso(core.clock.now()))]);
    return { changed, not_found: ids.filter((id) => !known.has(id)) };
  }, TRIES);

interface ReleasedJob {
  readonly write: Write;
  readonly lane: Lane;
}

/** The deliveries of a submission that is no longer spam: those skipped as spam, or all of them if none was planned. */
async function releasedJobs(core: Core, id: string, record: SubmissionRecord, sends: boolean): Promise<ReleasedJob[]> {
  const { planned, skipped } = await missed(core, id, record, sends);
  return [
    ...planned.map(({ id: jobId, job }) => ({ lane: job.lane, write: put("jobs", jobId, job, null) })),
    ...(sends ? skipped : []).map(({ id: jobId, value, version }) => ({
      lane: value.lane,
      write: put("jobs", jobId, { ...reopened(core, value), spam: false }, version),
    })),
  ];
}

async function missed(core: Core, id: string, record: SubmissionRecord, sends: boolean) {
  const jobs = await jobsOf(core, id);
  const isUnplanned = jobs.length === 0 && record.spam;
  const form = isUnplanned ? await core.rows.get("forms", record.form_id) : null;
  return {
    planned: form ? planJobs(core, form, id, { ...record, spam: false, over_quota: !sends }, core.clock.now()) : [],
    skipped: jobs.filter(({ value }) => value.code === "SKIPPED_SPAM"),
  };
}

/** The deliveries that "not spam" with `deliver` would start for a submission, as long as the plan's month has room. */
export async function missedJobs(core: Core, id: string, record: SubmissionRecord): Promise<JobRecord[]> {
  const { planned, skipped } = await missed(core, id, record, true);
  const form = skipped.length > 0 ? await core.rows.get("forms", record.form_id) : null;
  // Spam is skipped as spam first; a webhook that is paused or gone is skipped again at its turn.
  const isOn = ({ kind, target }: JobRecord): boolean =>
    kind !== "webhook" || form?.value.webhooks.some((webhook) => webhook.id === target && webhook.enabled) === true;
  return [
    ...planned.map(({ job }) => job).filter(({ status }) => status === "pending"),
    ...skipped.map(({ value }) => value).filter(isOn),
  ];
}
