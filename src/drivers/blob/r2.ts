import { fileName } from "./_file-name.ts";
import type { BlobDriver } from "./types.ts";

/** R2 wants parts of one size, of 5 MiB at least; a file below this goes as a whole. */
const PART_BYTES = 8 * 1024 * 1024;

/** The members used of an R2 bucket binding. */
export interface R2BucketLike {
  /** Stores an object of known length. */
  put(key: string, value: Uint8Array<ArrayBuffer>, options?: R2Options): Promise<unknown>;
  /** The object, or null. */
  get(key: string): Promise<{ readonly body: ReadableStream<Uint8Array> } | null>;
  /** Removes an object. */
  delete(key: string): Promise<void>;
  /** Begins an upload in parts. */
  createMultipartUpload(
    key: string,
    options?: R2Options,
  ): Promise<{
    uploadPart(part: number, value: Uint8Array<ArrayBuffer>): Promise<R2PartLike>;
    complete(parts: R2PartLike[]): Promise<unknown>;
    abort(): Promise<void>;
  }>;
}

interface R2PartLike {
  partNumber: number;
  etag: string;
}

interface R2Options {
  httpMetadata?: { contentType?: string };
}

/**
 * Keeps files in a bucket of Cloudflare R2, over its binding. Files of more than 8 MB go in parts, so that one of any size takes
 * little memory. Throws a TypeError if the binding is missing.
 *
 * @example r2Blob(env.FILES);
 */
export function r2Blob(
  bucket: R2BucketLike,
  options: {
    /** Precedes each key. Default none. */
    readonly prefix?: string;
  } = {},
): BlobDriver {
  if (typeof bucket?.createMultipartUpload !== "function") {
    throw new TypeError(
      '[form-backend] r2Blob: pass the binding of a bucket, such as env.FILES; in wrangler.jsonc: "r2_buckets": [{ "binding": "FILES", "bucket_name": "…" }]',
    );
  }
  const keyOf = (key: string): string => (options.prefix ?? "") + fileName(key);

  return {
    name: "r2",
    async put(key, body, { mimeType }) {
      const metadata = { httpMetadata: { contentType: mimeType } };
      const name = keyOf(key);
      let size = 0;
      let upload: Awaited<ReturnType<R2BucketLike["createMultipartUpload"]>> | undefined;
      const parts: R2PartLike[] = [];
      try {
        for await (const { bytes, isLast } of inParts(body)) {
          size += bytes.byteLength;
          if (isLast && !upload) {
            await bucket.put(name, bytes, metadata);
            return { size };
          }
          upload ??= await bucket.createMultipartUpload(name, metadata);
          if (bytes.byteLength > 0) parts.push(await upload.uploadPart(parts.length + 1, bytes));
        }
        await upload?.complete(parts);
      } catch (error) {
        await upload?.abort().catch(() => {});
        throw error;
      }
      return { size };
    },
    async get(key) {
      return (await bucket.get(keyOf(key)))?.body ?? null;
    },
    remove: (key) => bucket.delete(keyOf(key)),
    async close() {},
  };
}

/** The body in parts of one size, the last of which may be shorter, or empty. */
async function* inParts(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly isLast: boolean }> {
  let room = new Uint8Array(64 * 1024);
  let filled = 0;
  for await (const chunk of body) {
    for (let from = 0; from < chunk.byteLength; ) {
      const some = chunk.subarray(from, from + PART_BYTES - filled);
      if (filled + some.byteLength > room.byteLength) {
        // Twice as much each time, so that a small file takes little.
        const larger = new Uint8Array(Math.min(PART_BYTES, Math.max(2 * room.byteLength, filled + some.byteLength)));
        larger.set(room.subarray(0, filled));
        room = larger;
      }
      room.set(some, filled);
      filled += some.byteLength;
      from += some.byteLength;
      if (filled < PART_BYTES) continue;
      yield { bytes: room.slice(0, filled), isLast: false };
      filled = 0;
    }
  }
  yield { bytes: room.slice(0, filled), isLast: true };
}
