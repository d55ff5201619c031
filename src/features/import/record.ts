import type { Core } from "../../core/core.ts";
import { put, type Row } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { deliveryId, prefixedId } from "../../lib/id.ts";
import type { ImportedContent } from "../../model/import.ts";
import type { MessageRecord } from "../../model/messages.ts";
import type { StoredFile } from "../../model/submission-file.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { TrashedRecord } from "../../model/trash.ts";
import type { WorkRecord } from "../../model/work.ts";
import { fileWrites } from "../files/store.ts";
import { submissionOf } from "../intake/post.ts";
import { openUploads, type Uploads } from "../intake/uploads.ts";
import { messageKey } from "../messages/thread.ts";
import { protectFields } from "../privacy/protect.ts";
import { runWrites } from "../submissions/runs.ts";
import { RowFault } from "./fault.ts";
import type { Kept } from "./kept.ts";
import type { ReadRow } from "./row.ts";

/** A row that is ready to be stored, its files in the blob port already. */
export interface Prepared {
  readonly row: ReadRow;
  readonly record: SubmissionRecord | TrashedRecord;
  readonly writes: readonly Write[];
  /** Keep them around the commit of the writes, and close them in any case. */
  readonly uploads: readonly Uploads[];
}

/** Throws `RowFault` where a file is refused or can't be read, and `unavailable`; nothing is left then. */
export async function prepare(
  core: Core,
  form: Row<"forms">,
  id: string,
  row: ReadRow,
  source: string,
): Promise<Prepared> {
  const record = await recordOf(core, form, id, row, source);
  const { kept } = row;
  if (!kept) return { row, record, writes: [put("submissions", id, record, null)], uploads: [] };
  const uploads: Uploads[] = [];
  try {
    const files = await stored(core, form, kept.files, uploads);
    const own = [...files.values()];
    const whole: SubmissionRecord = { ...record, ...workOf(kept), attachments: own, attached: own.length > 0 };
    const writes: Write[] = [...fileWrites(own, id, whole)];
    const trashed = kept.trash && { ...whole, work: whole.work ?? workRecord(kept), ...kept.trash };
    writes.push(trashed ? put("trashed_submissions", id, trashed, null) : put("submissions", id, whole, null));
    if (!trashed) writes.push(...runWrites(id, null, whole));
    // Of one moment, they have the order of the row.
    const ids = kept.notes.map(() => prefixedId("act")).sort();
    for (const [at, note] of kept.notes.entries())
      writes.push(put("activities", ids[at] as string, { submission_id: id, ...note }, null));
    for (const message of kept.messages) {
      const beside = message.attachments.filter(({ content }) => !files.has(content));
      const added = await stored(
        core,
        form,
        beside.map((file) => ({ ...file, key: "" })),
        uploads,
      );
      const all = message.attachments.flatMap(({ content }) => files.get(content) ?? added.get(content) ?? []);
      writes.push(
        put("messages", deliveryId(core.clock.now()), messageOf(whole, id, message, all, [...added.values()]), null),
        ...fileWrites([...added.values()], id, { ...whole, created_at: message.created_at }),
      );
    }
    return { row, record: trashed ?? whole, writes, uploads };
  } catch (error) {
    await closed(uploads);
    if (error instanceof ApiError && error.code !== "unavailable") throw new RowFault(`\`files\`: ${error.message}`);
    throw error;
  }
}

/** Ends uploads: those that were not kept are removed. */
export async function closed(uploads: readonly Uploads[]): Promise<void> {
  await Promise.all(uploads.map((one) => one.close()));
}

/** The commit, with the files of all rows kept if it succeeds. */
export const keeping = (uploads: readonly Uploads[], commit: () => Promise<void>): Promise<void> =>
  uploads.reduceRight<() => Promise<void>>((inner, one) => () => one.keep(inner), commit)();

async function recordOf(
  core: Core,
  form: Row<"forms">,
  id: string,
  { created_at, posted, spam, read, visitor }: ReadRow,
  source: string,
): Promise<SubmissionRecord> {
  const protecting = protectFields(core, form, id, posted.fields);
  const { clear: _, ...content } = protecting ? await protecting : { fields: posted.fields, clear: null };
  // It takes no place in a month, and needs one before somebody has it sent after all.
  const judged = { spam, verdict: [], over_quota: false, uncounted: true };
  const post = { form, posted, visitor, within: null };
  return { ...submissionOf(post, created_at, judged, content), read, imported_from: source };
}

const workRecord = ({ work, notes }: Kept): WorkRecord => ({
  assignee: work?.assignee ?? null,
  labels: work?.labels ?? [],
  snoozed_until: work?.snoozed_until ?? null,
  notes: notes.filter(({ what }) => what === "note").length,
});

/** The members of a record that people at work set, none where nobody has. */
function workOf(kept: Kept): Partial<SubmissionRecord> {
  const record = workRecord(kept);
  const { assignee, labels, snoozed_until } = record;
  const isDone = kept.work?.state === "done";
  const hasWork = assignee || snoozed_until || labels.length > 0 || kept.notes.length > 0 || isDone;
  return {
    ...(hasWork && { work: record }),
    ...(isDone ? { aside: "done" } : snoozed_until && { aside: "snoozed" }),
    ...(kept.read_by.length > 0 && { read_by: [...new Set(kept.read_by)] }),
    ...(kept.consent && { consent: kept.consent }),
  };
}

/** Stores files, and names each by its content. Those without a byte, and those that the form drops, are left out. */
async function stored(
  core: Core,
  form: Row<"forms">,
  files: Kept["files"],
  opened: Uploads[],
): Promise<Map<ImportedContent, StoredFile>> {
  const made = new Map<ImportedContent, StoredFile>();
  if (files.length === 0) return made;
  const uploads = await openUploads(core, form);
  opened.push(uploads);
  for (const { key, name, mime_type, content } of files) {
    const before = uploads.list.length;
    await uploads.take({ key, name, declared: mime_type, content: chunksOf(content, name) });
    const file = uploads.list[before];
    if (file) made.set(content, file);
  }
  await uploads.scan();
  return made;
}

async function* chunksOf(content: ImportedContent, name: string): AsyncGenerator<Uint8Array> {
  try {
    if (typeof content === "function") yield* content();
    else yield content;
  } catch (cause) {
    throw new RowFault(`\`files\`: "${name.slice(0, 100)}" can't be read: ${(cause as Error)?.message}`, { cause });
  }
}

function messageOf(
  { form_id, team_id }: SubmissionRecord,
  submission_id: string,
  message: Kept["messages"][number],
  attachments: StoredFile[],
  own: readonly StoredFile[],
): MessageRecord {
  const { attachments: _, whole, automatic, status, message_id, direction, ...rest } = message;
  return {
    ...rest,
    submission_id,
    form_id,
    team_id,
    direction,
    message_id,
    message_key: message_id === null ? null : messageKey(message_id),
    // Nothing is sent by an import.
    status: status === "queued" ? "skipped" : status,
    attachments,
    ...(direction === "out" && { uploads: own.map(({ file_id }) => file_id) }),
    ...(whole !== undefined && { whole }),
    ...(automatic && { automatic }),
  };
}
