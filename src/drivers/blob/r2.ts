import { canParseUrl } from "../../lib/can-parse-url.ts";
import { fileName } from "./_file-name.ts";
import { s3Client } from "./_s3-client.ts";
import { s3Parts } from "./_s3-direct.ts";
import type { BlobDriver } from "./types.ts";

/** R2 wants parts of one size, of 5 MiB at least; a file below this goes as a whole. */
const PART_BYTES = 8 * 1024 * 1024;

/** The members used of an R2 bucket binding. */
export interface R2BucketLike {
  /** Stores an object of known length. */
  put(key: string, value: Uint8Array<ArrayBuffer>, options?: R2Options): Promise<unknown>;
  /** The object, or null. */
  get(key: string): Promise<{ readonly body: ReadableStream<Uint8Array> } | null>;
  /** The size of an object, or null if there is none. */
  head(key: string): Promise<{ readonly size: number } | null>;
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

/** Keys of R2's S3 API, with which browsers may upload to the bucket directly. */
export interface R2Keys {
  /** The S3 API of the account: `https://<account id>.r2.cloudflarestorage.com`. */
  readonly endpoint: string;
  /** The name of the bucket that the binding leads to. */
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
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
    /** For `files: { direct: true }`. Default none. */
    readonly s3?: R2Keys;
  } = {},
): BlobDriver {
  const client = options.s3 && keysOf(options.s3);
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
    ...(client && {
      presign: (key, upload) => client.presign(keyOf(key), upload),
      parts: s3Parts(client, keyOf),
      sizeOf: async (key) => (await bucket.head(keyOf(key)))?.size ?? null,
    }),
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

function keysOf(keys: R2Keys): ReturnType<typeof s3Client> {
  for (const name of ["endpoint", "bucket", "accessKeyId", "secretAccessKey"] as const) {
    if (typeof keys[name] !== "string" || keys[name] === "")
      throw new TypeError(`[form-backend] r2Blob: \`s3.${name}\` is missing`);
  }
  if (!canParseUrl(keys.endpoint)) {
    throw new TypeError(
      "[form-backend] r2Blob: `s3.endpoint` must be a URL such as https://<account id>.r2.cloudflarestorage.com",
    );
  }
  return s3Client({ ...keys, endpoint: new URL(keys.endpoint), region: "auto", timeoutMs: 15_000 });
}
