import type { Core } from "../../core/core.ts";
import { ApiError } from "../../errors.ts";
import { inTime } from "../../lib/in-time.ts";
import { traceOf } from "../../lib/message.ts";
import type { StoredFile } from "../../model/submission-file.ts";
import { openSealed } from "../privacy/files.ts";
import { readBlob } from "./store.ts";

const SCAN_MS = 30_000;

/** True if the host's scanner lets a stored file pass. Throws `unavailable` when it fails, or says nothing for 30 s. */
export async function passesScan(
  core: Core,
  form_id: string,
  { file_id, sealed, ...file }: StoredFile,
): Promise<boolean> {
  const { files, logger } = core.options;
  if (!files.scan) return true;
  const opened: ReadableStream<Uint8Array>[] = [];
  const open = async (): Promise<ReadableStream<Uint8Array>> => {
    const bytes = await readBlob(core, file_id);
    if (!bytes) throw new Error(`[form-backend] the blob ${file_id} does not exist`);
    const key = sealed && (await openSealed(core, { form_id, sealed }, file_id));
    const stream = key?.body(bytes) ?? bytes;
    opened.push(stream);
    return stream;
  };
  try {
    const finding = await inTime(SCAN_MS, async () => files.scan?.({ form_id, ...file, open }));
    if (finding !== "ok" && finding !== "infected")
      throw new TypeError('[form-backend] it must return "ok" or "infected"');
    return finding === "ok";
  } catch (cause) {
    logger.error(`option \`files.scan\`: ${traceOf(cause)}`);
    throw new ApiError("unavailable", { headers: { "retry-after": "5" }, cause });
  } finally {
    // A stream that the scanner opened and did not read would keep its file open until garbage collection.
    for (const stream of opened) if (!stream.locked) void stream.cancel().catch(() => {});
  }
}
