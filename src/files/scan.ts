import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { inTime } from "../lib/in-time.ts";
import type { StoredFile } from "../submissions/schema.ts";
import { readBlob } from "./store.ts";

const SCAN_MS = 30_000;

/** Whether the host's scanner lets a stored file pass. Throws `unavailable` when it fails, or says nothing for 30 s. */
export async function passesScan(core: Core, form_id: string, { file_id, ...file }: StoredFile): Promise<boolean> {
  const { files, logger } = core.options;
  if (!files.scan) return true;
  const opened: ReadableStream<Uint8Array>[] = [];
  const open = async (): Promise<ReadableStream<Uint8Array>> => {
    const stream = await readBlob(core, file_id);
    if (!stream) throw new Error(`the blob ${file_id} is gone`);
    opened.push(stream);
    return stream;
  };
  try {
    const finding = await inTime(SCAN_MS, async () => files.scan?.({ form_id, ...file, open }));
    if (finding !== "ok" && finding !== "infected") throw new TypeError(`it answered ${String(finding)}`);
    return finding === "ok";
  } catch (cause) {
    logger.error(`option \`files.scan\`: ${cause instanceof Error ? cause.message : String(cause)}`);
    throw new ApiError("unavailable", { headers: { "retry-after": "5" }, cause });
  } finally {
    // What the scanner opened and left unread would hold its file open until the collector comes.
    for (const stream of opened) if (!stream.locked) void stream.cancel().catch(() => {});
  }
}
