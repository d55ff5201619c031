import type { Core } from "../../core/core.ts";
import { put, type Row, retrying } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { type Caller, personOf, readerOf } from "../../model/keys.ts";
import type { SubmissionBulkResult } from "../../model/submission-bulk.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { SubmissionBulk } from "../../model/submissions.ts";
import type { Person } from "../../model/work.ts";
import { overBlob } from "../files/store.ts";
import { assertPatch, changeOf, type WorkPatch } from "./change.ts";
import { removal } from "./removal.ts";
import { change, TRIES } from "./service.ts";
import { type Change, tallied } from "./tally.ts";
import { moveToTrash, removeTrashed, restoreTrashed } from "./trash.ts";
import { consequencesOf, type Update } from "./updated.ts";

/** Submissions that one transaction of a bulk action changes. */
const BULK = 100;

export const misplacedDeliver = (): ApiError =>
  new ApiError("invalid_parameter", { param: "deliver", message: "`deliver` needs the action `mark_not_spam`." });

/** True for actions that support `deliver`. */
export const sendsMissed = (action: SubmissionBulk["action"]): boolean =>
  action === "mark_not_spam" || action === "not_spam";

/** What a bulk action does to each submission. */
type Deed = Pick<SubmissionBulk, "action" | "assignee" | "label" | "snoozed_until">;

/** The members that the actions need. */
const members = { assign: "assignee", label: "label", unlabel: "label", snooze: "snoozed_until" } as const;

/** Throws `invalid_parameter` where an action lacks its member, or has that of another one. */
export function assertDeed(core: Core, deed: Deed): void {
  const { action } = deed;
  const own = action in members ? members[action as keyof typeof members] : null;
  for (const member of ["assignee", "label", "snoozed_until"] as const) {
    if (member === own && deed[member] === undefined) throw wrongParameter(member, `is required with \`${action}\``);
    if (member !== own && deed[member] !== undefined) throw wrongParameter(member, `has no meaning with \`${action}\``);
  }
  const patch = patchOf(deed);
  if (patch) assertPatch(patch, core.clock.now());
}

/** The patch of an action; null for one that moves or removes submissions. */
function patchOf({ action, assignee = null, label = "", snoozed_until = null }: Deed): WorkPatch | null {
  switch (action) {
    case "mark_read":
      return { read: true };
    case "mark_unread":
      return { read: false };
    case "mark_spam":
      return { spam: true };
    case "mark_not_spam":
    case "not_spam":
      return { spam: false };
    case "done":
      return { state: "done" };
    case "reopen":
      return { state: "open" };
    case "assign":
      return { assignee };
    case "label":
      return { add_label: label };
    case "unlabel":
      return { remove_label: label };
    case "snooze":
      return { snoozed_until };
    default:
      return null;
  }
}

/** True for a submission that an action would change for everybody. One that moves or removes submissions changes each. */
export function isChangedBy(record: SubmissionRecord, action: Deed["action"], now: number): boolean {
  const patch = patchOf({ action });
  return patch === null || (changeOf(record, patch, now)?.members.length ?? 0) > 0;
}

/**
 * Changes many submissions: 100 in a transaction, or one by one if it sends deliveries that spam had skipped, so that each is
 * counted in the plan's month or stays skipped. Unknown ids are returned, not refused. Throws `invalid_parameter`, `unavailable`.
 */
export async function bulkSubmissions(
  core: Core,
  caller: Caller,
  formId: string,
  { ids, deliver = false, ...deed }: SubmissionBulk,
): Promise<SubmissionBulkResult> {
  if (deliver && !sendsMissed(deed.action)) throw misplacedDeliver();
  assertDeed(core, deed);
  const by = personOf(caller);
  const distinct = [...new Set(ids)];
  const result: SubmissionBulkResult = { changed: 0, not_found: [] };
  const add = ({ changed, not_found }: SubmissionBulkResult): void => {
    result.changed += changed;
    result.not_found.push(...not_found);
  };
  if (deliver) for (const id of distinct) add(await released(core, formId, id, by));
  else if (deed.action === "restore" || deed.action === "delete_forever")
    for (const id of distinct) add(await outOfTrash(core, formId, id, deed.action, by));
  else
    for (let start = 0; start < distinct.length; start += BULK)
      add(await bulkOnce(core, formId, deed, distinct.slice(start, start + BULK), by, readerOf(caller)));
  return result;
}

async function released(core: Core, formId: string, id: string, by: Person): Promise<SubmissionBulkResult> {
  try {
    const { changed } = await change(core, { formId, id, patch: { spam: false }, deliver: true, by });
    return { changed: changed ? 1 : 0, not_found: [] };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "submission_not_found") throw error;
    return { changed: 0, not_found: [id] };
  }
}

async function outOfTrash(
  core: Core,
  formId: string,
  id: string,
  action: "restore" | "delete_forever",
  by: Person,
): Promise<SubmissionBulkResult> {
  const found = await retrying(
    () => (action === "restore" ? restoreTrashed(core, formId, id, by) : removeTrashed(core, formId, id)),
    TRIES,
  );
  if (found) return { changed: 1, not_found: [] };
  // Somebody else has restored it already.
  const stored = action === "restore" && (await core.rows.get("submissions", id))?.value.form_id === formId;
  return { changed: 0, not_found: stored ? [] : [id] };
}

const bulkOnce = (
  core: Core,
  formId: string,
  deed: Deed,
  ids: readonly string[],
  by: Person,
  reader: string | undefined,
): Promise<SubmissionBulkResult> =>
  retrying(async () => {
    const rows = await core.rows.many("submissions", ids);
    const found = [...rows.values()].filter(({ value }) => value.form_id === formId);
    const known = new Set(found.map(({ id }) => id));
    const not_found = ids.filter((id) => !known.has(id));
    if (deed.action === "trash") {
      await moveToTrash(core, found, by);
      return { changed: found.length, not_found };
    }
    return { changed: await changeAll(core, deed, found, by, reader), not_found };
  }, TRIES);

/** Changes these rows in one commit and returns how many needed it. Throws `StaleWriteError`. */
async function changeAll(
  core: Core,
  deed: Deed,
  rows: readonly Row<"submissions">[],
  by: Person,
  reader: string | undefined,
): Promise<number> {
  const now = core.clock.now();
  const patch = patchOf(deed);
  const writes: Write[] = [];
  const changes: Change[] = [];
  const updates: Update[] = [];
  let count = 0;
  for (const row of rows) {
    const { id, value: before, version } = row;
    if (!patch) {
      writes.push(...(await overBlob(core, () => removal(core, row))));
      count++;
      continue;
    }
    const changed = changeOf(before, patch, now, reader);
    if (!changed) continue;
    writes.push(put("submissions", id, changed.next, version));
    changes.push({ id, before, after: changed.next });
    if (changed.isSeen) count++;
    if (changed.members.length > 0)
      updates.push({ id, record: changed.next, members: changed.members, acts: changed.acts, by });
  }
  if (writes.length === 0) return 0;
  const caused = await consequencesOf(core, updates);
  await core.commitNow([...writes, ...tallied(changes, iso(now)), ...caused.writes]);
  caused.done();
  return count;
}
