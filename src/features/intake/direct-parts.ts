import type { Core } from "../../core/core.ts";
import { faultText } from "../../core/fault-text.ts";
import { perBackend } from "../../core/per-backend.ts";
import type { BlobParts } from "../../drivers/blob/types.ts";

const MB = 1024 * 1024;
/** Stores want parts of at least 5 MB, and R2 all of one size. A lost connection costs at most one of them. */
const LEAST_BYTES = 8 * MB;
/** A response has an address for each. */
const MOST_PARTS = 100;

/** Bytes of each part but the last. */
export const partBytes = (size: number): number =>
  Math.max(LEAST_BYTES, Math.ceil(Math.ceil(size / MOST_PARTS) / MB) * MB);

const told = perBackend(() => ({ once: false }));

/**
 * Begins an upload in parts, and returns the store's id of it; `""` where the store has none, or doesn't list its parts: some programs
 * that speak S3 don't, and others need a permission for it. Then the file goes in one request.
 */
export async function beginParts(core: Core, id: string, mimeType: string): Promise<string> {
  const { parts } = core.blob;
  if (!parts) return "";
  const upload = await parts.begin(id, { mimeType });
  let why = "it does not know an upload that has just begun";
  const stored = await parts.stored(id, upload).catch((error: unknown) => {
    why = faultText(error);
    return null;
  });
  if (stored) return upload;
  await parts.abort(id, upload).catch(() => {});
  if (!told(core).once)
    core.options.logger.warn(
      `the blob store does not list the parts of an upload (${why}), so direct uploads go in one request and can't go on after a lost connection; on S3, allow s3:ListMultipartUploadParts`,
    );
  told(core).once = true;
  return "";
}

/** A part that the store does not have yet. */
export interface MissingPart {
  readonly url: string;
  /** Its first byte in the file, and its length in bytes. */
  readonly from: number;
  readonly size: number;
}

/** The parts of an upload that have not arrived, or are not as long as they must be, each with a request of its own. */
export async function missingParts(
  parts: BlobParts,
  id: string,
  { size, part_bytes, multipart, ...more }: PartsOf,
): Promise<readonly MissingPart[]> {
  const stored = await parts.stored(id, multipart);
  const all = Array.from({ length: Math.ceil(size / part_bytes) }, (_, at) => {
    const from = at * part_bytes;
    return { number: at + 1, from, size: Math.min(part_bytes, size - from) };
  });
  const missing = all.filter((part) => stored?.get(part.number)?.size !== part.size);
  return Promise.all(
    missing.map(async ({ number, from, size: bytes }) => {
      const { url } = await parts.presign(id, multipart, { ...more, number, size: bytes });
      return { url, from, size: bytes };
    }),
  );
}

interface PartsOf {
  readonly size: number;
  readonly part_bytes: number;
  readonly multipart: string;
  readonly mimeType: string;
  readonly seconds: number;
}
