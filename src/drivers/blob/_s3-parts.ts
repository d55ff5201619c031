import { createHash } from "node:crypto";
import type { S3Body } from "./_s3-client.ts";

/** The minimum size of a part that is not the last; all parts are equal, as R2 requires. */
export const PART_BYTES = 5 * 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;

/**
 * Cuts a stream into parts of 5 MiB, the last one shorter; an empty stream is one empty part. The next part overwrites the one
 * before, so an upload never needs more memory than one part.
 */
export async function* inParts(body: ReadableStream<Uint8Array>): AsyncGenerator<S3Body> {
  // In blocks, so that a small file takes little, and filled by copying, so that a million small chunks take no more.
  const blocks: Buffer[] = [];
  let size = 0;
  let sha256 = createHash("sha256");
  let whole = 0;
  const take = (): S3Body => {
    const last = Math.ceil(size / BLOCK_BYTES) - 1;
    const filled = blocks
      .slice(0, last + 1)
      .map((block, i) => (i < last ? block : block.subarray(0, size - last * BLOCK_BYTES)));
    const part = { size, sha256: sha256.digest("hex"), blocks: filled };
    [size, sha256, whole] = [0, createHash("sha256"), whole + 1];
    return part;
  };

  for await (const chunk of body) {
    for (let from = 0; from < chunk.byteLength; ) {
      const at = size % BLOCK_BYTES;
      const index = (size - at) / BLOCK_BYTES;
      blocks[index] ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
      const piece = chunk.subarray(from, from + BLOCK_BYTES - at);
      (blocks[index] as Buffer).set(piece, at);
      sha256.update(piece);
      from += piece.byteLength;
      size += piece.byteLength;
      if (size === PART_BYTES) yield take();
    }
  }
  if (size > 0 || whole === 0) yield take();
}
