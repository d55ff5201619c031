import type { Core } from "../../core/core.ts";
import { put, type Row, retrying } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { type Caller, personOf, readerOf } from "../../model/keys.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { HostSubmission, SubmissionDeleted, SubmissionPatch } from "../../model/submissions.ts";
import type { Person } from "../../model/work.ts";
import { overBlob } from "../files/store.ts";
import { admitted } from "../jobs/quota.ts";
import { wakeJobs } from "../jobs/wake.ts";
import { shownTo } from "../privacy/shown.ts";
import { assertPatch, type Changed, changeOf, type WorkPatch } from "./change.ts";
import { releasedJobs } from "./missed.ts";
import { removal } from "./removal.ts";
import { tallied } from "./tally.ts";
import { moveToTrash, removeTrashed } from "./trash.ts";
import { consequencesOf } from "./updated.ts";
import { toHostSubmission } from "./view.ts";

/** Tries against other writers of the same submissions. */
export const TRIES = 20;

export const missing = (): ApiError => new ApiError("submission_not_found");

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
 * Sets the sent members. `deliver` with `spam: false` also runs the email and webhooks that spam had skipped, once even if it is
 * repeated; if the plan's month is full they stay skipped. Throws `invalid_parameter`, `submission_not_found`.
 */
export async function updateSubmission(
  core: Core,
  caller: Caller,
  formId: string,
  id: string,
  patch: SubmissionPatch,
  { deliver = false }: { deliver?: boolean | undefined } = {},
): Promise<HostSubmission> {
  assertPatch(patch, core.clock.now());
  const reader = readerOf(caller);
  const { value } = await change(core, { formId, id, patch, deliver, by: personOf(caller), ...(reader && { reader }) });
  return viewFor(core, caller, { id, value, version: 0 });
}

/** One change of one submission. */
export interface ChangeOfOne {
  readonly formId: string;
  readonly id: string;
  readonly patch: WorkPatch;
  readonly deliver: boolean;
  readonly by: Person;
  /** The person who reads it, where one does. */
  readonly reader?: string;
}

/** Changes one submission under its version, with all that follows from it. Throws `submission_not_found`. */
export async function change(
  core: Core,
  { formId, id, patch, deliver, by, reader }: ChangeOfOne,
): Promise<{ value: SubmissionRecord; changed: boolean }> {
  const delivers = deliver && patch.spam === false;
  if (delivers && (await core.rows.get("submissions", id))?.value.form_id !== formId) throw missing();
  const sends = delivers && (await admitted(core, id));
  return retrying(async () => {
    const { value: before, version } = await load(core, formId, id);
    const now = core.clock.now();
    const changed: Changed | null = changeOf(before, patch, now, reader);
    const released = delivers ? await releasedJobs(core, id, before, sends) : [];
    if (!changed && released.length === 0) return { value: before, changed: false };
    const { next = before, members = [], acts = [] } = changed ?? {};
    const { writes, done } = await consequencesOf(
      core,
      members.length > 0 ? [{ id, record: next, members, acts, by }] : [],
    );
    await core.commitNow([
      put("submissions", id, next, version),
      ...released.map(({ write }) => write),
      ...tallied([{ id, before, after: next }], iso(now)),
      ...writes,
    ]);
    wakeJobs(core, new Set(released.map(({ lane }) => lane)));
    done();
    return { value: next, changed: released.length > 0 || (changed?.isSeen ?? false) };
  }, TRIES);
}

/**
 * Removes a submission with its files, or moves it to the trash; its remaining deliveries are skipped. One that is in the trash
 * is removed. Throws `submission_not_found`, `unavailable`.
 */
export async function deleteSubmission(
  core: Core,
  caller: Caller,
  formId: string,
  id: string,
  { trash = false }: { trash?: boolean | undefined } = {},
): Promise<SubmissionDeleted> {
  // Another writer may have removed it; the next try finds out.
  await retrying(async () => {
    const row = await core.rows.get("submissions", id);
    if (row?.value.form_id !== formId) {
      if (trash || !(await removeTrashed(core, formId, id))) throw missing();
      return;
    }
    if (trash) await moveToTrash(core, [row], personOf(caller));
    else await core.commitNow(await overBlob(core, () => removal(core, row)));
  }, TRIES);
  return { id, deleted: true };
}

/** A stored submission of a form. Throws `submission_not_found`. */
export async function load(core: Core, formId: string, id: string): Promise<Row<"submissions">> {
  const row = await core.rows.get("submissions", id);
  if (row?.value.form_id !== formId) throw missing();
  return row;
}
