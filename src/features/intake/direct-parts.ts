import type { BlobParts } from "../../drivers/blob/types.ts";

const MB = 1024 * 1024;
/** Stores want parts of at least 5 MB, and R2 all of one size. A lost connection costs at most one of them. */
const LEAST_BYTES = 8 * MB;
/** A response has an address for each. */
const MOST_PARTS = 100;

/** Bytes of each part but the last. */
export const partBytes = (size: number): number =>
  Math.max(LEAST_BYTES, Math.ceil(Math.ceil(size / MOST_PARTS) / MB) * MB);

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
