import type { Core } from "../../core/core.ts";
import { put, remove } from "../../core/rows.ts";
import { warnOfFiles } from "../../core/set-up.ts";
import { StaleWriteError, StoreDownError, type Stored, type Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { traceOf } from "../../lib/message.ts";
import type { FileRecord } from "../../model/files.ts";
import type { MarkId } from "../../model/marks.ts";
import type { StoredFile } from "../../model/submission-file.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { openSealed } from "../privacy/files.ts";

/** After this time bytes that no row names belong to a process that died. */
const ORPHAN_MS = DAY_MS;
const PREFIX = "upload:";

export const markOf = (fileId: string): MarkId => `${PREFIX}${fileId}`;

/** Notes that bytes are about to be written under an id. The blob port can't be listed, so without the note nothing would lead to them after a crash. */
export async function announce(core: Core, fileId: string): Promise<void> {
  warnOfFiles(core);
  const value = { expires_at: iso(core.clock.now() + ORPHAN_MS) };
  await core.commitTogether([put("marks", markOf(fileId), value, null)], 200);
}

/** True if a commit has lost its answer: the store may make it yet, in the connection that broke, so the bytes stay. */
export const isUnderWay = (error: unknown): boolean =>
  error instanceof ApiError && error.cause instanceof StoreDownError && !error.cause.nothingWritten;

/** The writes that give files to a submission, to be committed with it. */
export function fileWrites(files: readonly StoredFile[], submission_id: string, submission: SubmissionRecord): Write[] {
  const { form_id, team_id, created_at } = submission;
  return files.flatMap(({ file_id, ...file }): Write[] => {
    const value: FileRecord = { submission_id, form_id, team_id, ...file, created_at };
    return [put("files", file_id, value, null), remove("marks", markOf(file_id))];
  });
}

/** The write that releases bytes. Commit it together with the write that drops their name, then `discard` them. */
export const giveUp = (core: Core, id: string): Write =>
  put("marks", markOf(id), { expires_at: iso(core.clock.now()) });

/** Removes bytes that no submission got. If that fails, `removeOrphan` removes them later. */
export async function discard(core: Core, fileIds: readonly string[]): Promise<void> {
  for (const id of fileIds) {
    try {
      await core.blob.remove(id);
      await core.commitNow([remove("marks", markOf(id))]);
    } catch (error) {
      core.options.logger.error(
        `blob ${core.blob.name}: ${id} has no submission and could not be removed yet: ${traceOf(error)}`,
      );
    }
  }
}

/**
 * The end of an upload's mark: removes the bytes whose process died or which no post has claimed, unless a submission uses them, and
 * the parts of an upload that was not completed. Call it before you remove the row. Throws errors of the driver; may be repeated.
 */
export async function removeOrphan(core: Core, { id: markId, value }: Stored): Promise<void> {
  const id = markId.slice(PREFIX.length);
  if ((await core.storage.get("files", [id])).has(id)) return;
  const multipart = value["multipart"];
  if (typeof multipart === "string" && multipart !== "") await core.blob.parts?.abort(id, multipart);
  await core.blob.remove(id);
}

/** The write that has the next sweep end an upload and forgets what it was; null for another mark. */
export function abandoned(core: Core, { id, value }: Stored): Write | null {
  if (!id.startsWith(PREFIX)) return null;
  const left = { multipart: value["multipart"] ?? "", expires_at: iso(core.clock.now()) };
  return put("marks", id as MarkId, left);
}

/** A file and its bytes, null when it is gone or its key was shredded. Throws `unavailable`. */
export async function openFile(
  core: Core,
  id: string,
): Promise<{ record: FileRecord; body: ReadableStream<Uint8Array> } | null> {
  const row = await core.rows.get("files", id);
  if (!row) return null;
  const { sealed, ...record } = row.value;
  const open = sealed && (await openSealed(core, { ...record, sealed }, id));
  if (sealed && !open) return null;
  const bytes = await readBlob(core, id);
  if (!bytes) return null;
  return open
    ? { record: { ...record, name: open.name ?? record.name }, body: open.body(bytes) }
    : { record, body: bytes };
}

/** The bytes under an id, null when there are none. Throws `unavailable`. */
export const readBlob = (core: Core, id: string): Promise<ReadableStream<Uint8Array> | null> =>
  overBlob(core, async () => core.blob.get(id));

/** Runs work that uses the blob port for a caller who waits. Throws `unavailable` if the port fails. */
export async function overBlob<T>(core: Core, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw cause instanceof ApiError || cause instanceof StaleWriteError ? cause : blobDown(core, cause);
  }
}

/** Turns a fault of the blob port into the caller's error. */
export function blobDown({ blob, options }: Core, cause: unknown): ApiError {
  options.logger.error(`blob ${blob.name}: ${traceOf(cause)}`);
  return new ApiError("unavailable", { headers: { "retry-after": "5" }, cause });
}
