import type { Core } from "../../core/core.ts";
import { put, type Row, remove, retrying } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import { isProtected } from "../../model/field-policy.ts";
import { withRevision } from "../../model/revisions.ts";
import { senderOf } from "../../model/sender.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import type { StoredFile } from "../../model/submission-file.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { keepEdit } from "../audit/keep.ts";
import { discard, fileWrites, giveUp } from "../files/store.ts";
import type { EditLink } from "../mail/edit-link.ts";
import { protectFields } from "../privacy/protect.ts";
import { opened } from "../privacy/shown.ts";
import { tallied } from "../submissions/tally.ts";
import { consequencesOf } from "../submissions/updated.ts";
import { cachedTeam } from "../teams/service.ts";
import { takeRoom } from "../teams/stock.ts";
import { usageWrite } from "../teams/usage.ts";
import { assertFilled } from "./accept.ts";
import { isSpam } from "./compose.ts";
import type { Posted } from "./fields.ts";
import { keepsStored, merged, REVISION_FIELD } from "./merge-edit.ts";
import { judgeChange } from "./pipeline.ts";
import type { Visitor } from "./post.ts";
import { uniqueChange } from "./unique.ts";

/** A submission that may be changed, in clear, and its form. */
export interface Editable {
  readonly form: Row<"forms">;
  readonly row: Row<"submissions">;
  readonly clear: SubmissionRecord;
  /** Until when, in epoch ms. */
  readonly until: number;
}

/**
 * The state of a link. `waiting`: the address is not confirmed yet. `off`: the form takes no changes. `unknown`: no link of ours, or
 * the submission is gone.
 */
export type EditState = ({ readonly is: "open" } & Editable) | { readonly is: "waiting" | "late" | "off" | "unknown" };

/** The current state of a link. */
export async function editState(core: Core, link: EditLink | null): Promise<EditState> {
  if (!link) return { is: "unknown" };
  if (core.clock.now() >= link.expires) return { is: "late" };
  // The waiting one first: one that is confirmed meanwhile is found by the next look.
  const pending = await core.rows.get("pending_submissions", link.submission_id);
  if (pending) return { is: "waiting" };
  const row = await core.rows.get("submissions", link.submission_id);
  const form = row?.value.form_id === link.form_id ? await core.rows.get("forms", link.form_id) : null;
  if (!row || !form) return { is: "unknown" };
  const team = await cachedTeam(core, form.value.team_id);
  if (
    !form.value.settings.edit.enabled ||
    !form.value.active ||
    form.value.locked ||
    team?.value.locked ||
    !team?.value.active
  )
    return { is: "off" };
  return { is: "open", form, row, clear: await opened(core, row.id, row.value), until: link.expires };
}

/** The outcome of a change. `stale`: somebody changed it since the page was opened, and it is as in `state`. */
export type EditResult =
  | { readonly is: "done"; readonly form: Row<"forms">; readonly id: string }
  | { readonly is: "stale"; readonly state: Editable }
  | Exclude<EditState, { is: "open" }>;

/**
 * Stores what a sender made of a submission, with the version of before among its revisions. The checks of the form apply, its limit
 * does not, and nothing is mailed. Throws `empty_submission`, `validation_failed`, `limit_reached`, `unavailable`.
 */
export async function applyEdit(core: Core, link: EditLink, posted: Posted, visitor: Visitor): Promise<EditResult> {
  const replaced: string[] = [];
  const result = await retrying(async (): Promise<EditResult> => {
    replaced.length = 0;
    const state = await editState(core, link);
    if (state.is !== "open") return state;
    const { form, row } = state;
    const seen = posted.fields.find(({ key }) => key === REVISION_FIELD)?.value;
    if (seen !== undefined && seen !== String(row.value.changes ?? 0)) return { is: "stale", state };
    const done: EditResult = { is: "done", form, id: row.id };
    const change = await changed(core, state, posted, visitor);
    if (!change) return done;
    const { after, files, gone, unique } = change;
    const told = await consequencesOf(core, [
      { id: row.id, record: after, members: ["fields"], acts: [], by: { id: "", name: "" } },
    ]);
    const at = iso(core.clock.now());
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const writes: Write[] = [
      put("submissions", row.id, after, row.version),
      ...fileWrites(files, row.id, after),
      ...gone.flatMap((id) => [remove("files", id), giveUp(core, id)]),
      ...unique,
      ...told.writes,
      ...tallied([{ id: row.id, before: row.value, after }], at),
      ...(bytes > 0 ? [usageWrite(form.value.team_id, at, "file_bytes", bytes)] : []),
    ];
    const room = bytes > 0 ? await takeRoom(core, form.value.team_id, { stored: 0, bytes }) : null;
    try {
      await posted.files.keep(() => core.commitNow(writes));
    } catch (error) {
      await room?.giveBack();
      throw error;
    }
    replaced.push(...gone);
    told.done();
    await keepEdit(core, form.value.team_id, form.id, row.id);
    const about = { form_id: form.id, submission_id: row.id };
    core.options.logger.info(`submission ${row.id} of form ${form.id}: changed by its sender`, about);
    return done;
  });
  await discard(core, replaced);
  return result;
}

interface ChangedRecord {
  readonly after: SubmissionRecord;
  /** The files that came. */
  readonly files: readonly StoredFile[];
  /** The files that they replace. */
  readonly gone: readonly string[];
  readonly unique: readonly Write[];
}

/** The record that a change leads to; null where nothing would differ. Throws `empty_submission`, `validation_failed`. */
async function changed(
  core: Core,
  { form, row, clear }: Editable,
  posted: Posted,
  visitor: Visitor,
): Promise<ChangedRecord | null> {
  const { id, value: before } = row;
  const { policies, isFixed } = { policies: form.value.settings.fields, isFixed: fixedField(form, before) };
  const fields = merged(clear.fields, posted.fields, {
    keeps: (name, values) => isFixed(name) || keepsStored(policies, name, values),
    isHashed: (at) => before.protected?.values.some((value) => value.at === at && value.hash !== undefined) === true,
  });
  // An upload that it has got by an earlier change, sent again, stays.
  const sentAgain = (id: string): boolean => posted.files.list.some(({ file_id }) => file_id === id);
  const had = new Set(before.attachments.map(({ file_id }) => file_id));
  const files = posted.files.list.filter(({ file_id }) => !had.has(file_id));
  const keys = new Set(posted.files.list.map(({ key }) => key));
  const gone = before.attachments.filter(({ key, file_id }) => keys.has(key) && !sentAgain(file_id));
  const attachments = [...before.attachments.filter((file) => !gone.includes(file)), ...files];
  const plain = fields.map(({ key, value }) => ({ key, value }));
  if (files.length === 0 && gone.length === 0 && isSame(clear.fields, plain)) return null;
  const attached = attachments.map(({ key }) => key);
  assertFilled({ fields: plain, files: { keys: [...attached, ...posted.files.keys] } });
  const sent = new Set(posted.fields.filter(({ value }) => value !== "").map(({ key }) => key));
  const verdict = await judgeChange(
    core,
    form,
    plain.filter((_, at) => !fields[at]?.hash),
    visitor,
    attached,
    (name) => isProtected(policies, name) && !sent.has(name),
  );
  const unique = await uniqueChange(core, form, id, clear.fields, plain);
  const content = await stored(core, form, id, fields);
  // Everybody reads it again.
  const { protected: old, revisions = [], read_by: _, ...rest } = before;
  const at = iso(core.clock.now());
  const version = { replaced_at: at, fields: before.fields, ...(old && { protected: old }) };
  const spam = before.spam || isSpam(verdict);
  const after: SubmissionRecord = {
    ...rest,
    ...content,
    sender: senderOf(content.fields),
    attachments,
    attached: attachments.length > 0,
    ...(spam && !before.spam && { spam, verdict }),
    read: false,
    updated_at: at,
    revisions: withRevision(revisions, version),
    changes: (before.changes ?? 0) + 1,
  };
  return { after, files, gone: gone.map(({ file_id }) => file_id), unique };
}

/** The address that a sender confirmed can't be changed any more: nobody would have confirmed the new one. */
function fixedField({ value }: Row<"forms">, { consent }: SubmissionRecord): (name: string) => boolean {
  const { field } = value.settings.double_opt_in;
  return (name) => consent !== undefined && name === field;
}

const isSame = (a: readonly SubmissionField[], b: readonly SubmissionField[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/** The fields as the form's policies keep them; a hash that stays is stored as it is, not hashed again. */
async function stored(
  core: Core,
  form: Row<"forms">,
  id: string,
  fields: readonly { readonly key: string; readonly value: string; readonly hash?: string }[],
): Promise<Pick<SubmissionRecord, "fields" | "protected">> {
  const open = fields.map(({ key, value, hash }) => ({ key, value: hash === undefined ? value : "" }));
  const made = (await protectFields(core, form, id, open)) ?? { fields: open };
  const kept = fields.flatMap(({ hash }, at) => (hash === undefined ? [] : [{ at, hash }]));
  const data_key = "protected" in made ? (made.protected?.data_key ?? "") : "";
  const values = [...("protected" in made ? (made.protected?.values ?? []) : []), ...kept];
  return { fields: made.fields, ...(values.length > 0 && { protected: { data_key, values } }) };
}
