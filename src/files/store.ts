import { type Core, find } from "../core.ts";
import type { Write } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import { DAY_MS, iso } from "../lib/clock.ts";
import type { StoredFile, SubmissionRecord } from "../submissions/schema.ts";
import type { FileRecord } from "./schema.ts";

/** After this time bytes that no row names belong to a process that died. */
const ORPHAN_MS = DAY_MS;
const PREFIX = "upload:";

const markOf = (fileId: string): string => PREFIX + fileId;

/** Notes that bytes are about to be written under an id. The blob port can't be listed, so that without it they could be lost sight of. */
export async function announce(core: Core, fileId: string): Promise<void> {
  const value = { expires_at: iso(core.clock.now() + ORPHAN_MS) };
  await core.committer.commit([{ op: "put", collection: "marks", id: markOf(fileId), value, expect: null }], 200);
}

/** The writes that give files to a submission, to be committed with it. */
export function fileWrites(files: readonly StoredFile[], submission_id: string, submission: SubmissionRecord): Write[] {
  const { form_id, team_id, created_at } = submission;
  return files.flatMap(({ file_id, ...file }): Write[] => {
    const value: FileRecord = { submission_id, form_id, team_id, ...file, created_at };
    return [
      { op: "put", collection: "files", id: file_id, value: { ...value }, expect: null },
      { op: "remove", collection: "marks", id: markOf(file_id) },
    ];
  });
}

/** Takes away bytes that no submission got. What can't be removed now is left for `removeOrphan`. */
export async function discard(core: Core, fileIds: readonly string[]): Promise<void> {
  for (const id of fileIds) {
    try {
      await core.blob.remove(id);
      await core.storage.commit([{ op: "remove", collection: "marks", id: markOf(id) }]);
    } catch (error) {
      core.options.logger.error(`blob ${core.blob.name}: ${id} has no submission and stays for now: ${reason(error)}`);
    }
  }
}

/**
 * To be called with every row of `marks` that has expired, before it is removed: it takes away the bytes of an upload whose
 * process died, unless a submission names them after all. Throws what a driver throws; asking again is fine.
 */
export async function removeOrphan(core: Core, markId: string): Promise<void> {
  if (!markId.startsWith(PREFIX)) return;
  const id = markId.slice(PREFIX.length);
  if (!(await find(core, "files", id))) await core.blob.remove(id);
}

/** A file and its bytes, null when it is gone. Throws `unavailable`. */
export async function openFile(
  core: Core,
  id: string,
): Promise<{ record: FileRecord; body: ReadableStream<Uint8Array> } | null> {
  const row = await find<FileRecord>(core, "files", id);
  const body = row && (await readBlob(core, id));
  return row && body && { record: row.value, body };
}

/** The bytes under an id, null when there are none. Throws `unavailable`. */
export async function readBlob(core: Core, id: string): Promise<ReadableStream<Uint8Array> | null> {
  try {
    return await core.blob.get(id);
  } catch (cause) {
    throw blobDown(core, cause);
  }
}

/** A fault of the blob port as what the caller sees. */
export function blobDown({ blob, options }: Core, cause: unknown): ApiError {
  options.logger.error(`blob ${blob.name}: ${reason(cause)}`);
  return new ApiError("unavailable", { headers: { "retry-after": "5" }, cause });
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));
