import { canParseUrl } from "../../lib/can-parse-url.ts";
import { fileName } from "./_file-name.ts";
import { s3Client } from "./_s3-client.ts";
import { s3Parts } from "./_s3-direct.ts";
import { S3Error } from "./_s3-error.ts";
import { inParts, PART_BYTES } from "./_s3-parts.ts";
import { type S3Upload, startUpload } from "./_s3-upload.ts";
import type { BlobDriver } from "./types.ts";

export interface S3BlobOptions {
  /** The server without the bucket, such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string;
  bucket: string;
  /** As the provider calls it; `auto` for R2, `us-east-1` for MinIO. */
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** A folder for all objects, such as `form-files/`. Default: none. */
  prefix?: string;
  /** Time without progress before a call fails, in milliseconds. Default 15,000. */
  timeoutMs?: number;
}

/**
 * Stores blobs in a bucket of any S3-compatible server. Up to 5 MiB go in one request, more in a multipart upload, and each put
 * needs at most 5 MiB of memory. A failed put aborts its upload. Throws a TypeError for a wrong option.
 *
 * @example s3Blob({ endpoint: "https://s3.eu-central-1.amazonaws.com", bucket: "forms", region: "eu-central-1", accessKeyId, secretAccessKey })
 */
export function s3Blob(options: S3BlobOptions): BlobDriver {
  const endpoint = checked(options ?? {});
  const { timeoutMs = 15_000, prefix = "", ...rest } = options;
  const client = s3Client({ ...rest, timeoutMs, endpoint });
  const folder = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
  const place = (key: string): string => folder + fileName(key);

  return {
    name: "s3",
    async put(blob, body, { mimeType }) {
      const key = place(blob);
      let size = 0;
      let upload: S3Upload | undefined;
      try {
        for await (const part of inParts(body)) {
          size += part.size;
          if (!upload && part.size < PART_BYTES) {
            await client.send({ method: "PUT", key, headers: { "content-type": mimeType }, body: part });
            return { size };
          }
          upload ??= await startUpload(client, key, mimeType);
          await upload.add(part);
        }
        await upload?.complete();
        return { size };
      } catch (error) {
        await upload?.abort();
        throw error;
      }
    },
    async get(blob) {
      return client.open({ method: "GET", key: place(blob) }).catch(nullWhenAbsent);
    },
    async remove(blob) {
      await client.send({ method: "DELETE", key: place(blob) }).catch(nullWhenAbsent);
    },
    presign: (blob, upload) => client.presign(place(blob), upload),
    parts: s3Parts(client, place),
    async sizeOf(blob) {
      const found = await client.send({ method: "HEAD", key: place(blob) }).catch(nullWhenAbsent);
      return found && Number(found.headers.get("content-length") ?? Number.NaN);
    },
    async close() {},
  };
}

function nullWhenAbsent(error: unknown): null {
  // A deleted bucket returns 404 as well, but is not an empty one.
  if (error instanceof S3Error && error.status === 404 && error.code !== "NoSuchBucket") return null;
  throw error;
}

/** The endpoint, after a look at all options: a variable of the environment that is not set is the common mistake. */
function checked(options: S3BlobOptions): URL {
  for (const name of ["endpoint", "bucket", "region", "accessKeyId", "secretAccessKey"] as const) {
    const value: unknown = options[name];
    if (typeof value !== "string" || value === "") throw wrong(`\`${name}\` is missing`);
    if (/\s/.test(value)) throw wrong(`\`${name}\` has white space in it`);
  }
  const { bucket, prefix = "", timeoutMs = 1 } = options;
  if (!/^[\w.-]{3,255}$/.test(bucket)) throw wrong(`\`bucket\` “${bucket}” is not a name of a bucket`);
  if (prefix !== "" && !prefix.replace(/\/$/, "").split("/").every(isFolder)) {
    throw wrong("`prefix` may hold letters, digits, `_`, `-`, `.` and `=`, and `/` between names");
  }
  if (!(Number.isFinite(timeoutMs) && timeoutMs > 0)) throw wrong("`timeoutMs` must be more than 0");
  if (!canParseUrl(options.endpoint)) throw wrong("`endpoint` must be a URL such as https://s3.example.com");
  const url = new URL(options.endpoint);
  if (!/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw wrong("`endpoint` must be an http or https URL without a user, a query or a hash");
  }
  if (url.hostname.startsWith(`${bucket}.`) || url.pathname.split("/").includes(bucket)) {
    throw wrong("leave the bucket out of `endpoint`");
  }
  return url;
}

const isFolder = (name: string): boolean => /^[\w.=-]{1,100}$/.test(name) && !/^\.+$/.test(name);
const wrong = (what: string): TypeError => new TypeError(`[form-backend] s3Blob: ${what}.`);
