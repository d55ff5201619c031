import { ApiError } from "../../errors.ts";
import { parseJson } from "../../lib/json.ts";
import { addJson, type FieldCollector, MAX_FIELD_BYTES, type Posted } from "./fields.ts";
import { parseMultipart } from "./multipart.ts";
import type { Uploads } from "./uploads.ts";
import { parseUrlencoded } from "./urlencoded.ts";

/** The ways to read a body, passed to `parse` so that intake does not depend on HTTP's own folder. */
export interface BodySource {
  readonly mediaType: string;
  readonly contentType: string;
  /** The whole body, at most `limit` bytes. */
  bytes(limit: number): Promise<Buffer>;
  json(bytes: Buffer): unknown;
  /** The body as it arrives, null if there is none. A sender that is too slow makes it fail with `request_timeout`. */
  stream(): AsyncIterable<Uint8Array> | null;
}

// Percent-encoding triples a byte, as `\u00fc` in JSON does, and every field has a name and its punctuation.
const ENCODED_LIMIT = 3 * MAX_FIELD_BYTES + 64 * 1024;

/**
 * Reads a post: its fields into `fields`, its files into `uploads`, which contain the parts read so far if it throws. Throws
 * `unsupported_media_type`, `malformed_body`, `payload_too_large`, `invalid_parameter`, `request_timeout` and the errors of
 * `uploads.take`, `claim` and `scan`.
 */
export async function parsePost(source: BodySource, fields: FieldCollector, uploads: Uploads): Promise<Posted> {
  switch (source.mediaType) {
    case "application/x-www-form-urlencoded":
      parseUrlencoded(notJson(await source.bytes(ENCODED_LIMIT)), fields);
      break;
    case "multipart/form-data":
      await parseMultipart(source.contentType, source.stream(), fields, uploads);
      break;
    case "application/json":
      addJson(fields.add, source.json(await source.bytes(ENCODED_LIMIT)));
      break;
    default:
      if (source.mediaType === "" && (await isEmpty(source))) break;
      throw new ApiError("unsupported_media_type", {
        message: "Send the form as application/x-www-form-urlencoded, multipart/form-data or application/json.",
      });
  }
  fields.end();
  const claims = fields.claims();
  if (claims.length > 0) await uploads.claim(claims);
  if (claims.length > 0 || source.mediaType === "multipart/form-data") await uploads.scan();
  return fields.done(uploads);
}

/** The bytes, unless they are JSON with the type that `curl -d` gives it, which would be stored as one garbled field. Throws `malformed_body`. */
function notJson(bytes: Buffer): Buffer {
  const begun = /^\s*[[{]/.test(bytes.toString("latin1", 0, 64));
  if (!begun || !isJson(bytes)) return bytes;
  throw new ApiError("malformed_body", {
    message:
      "The body is JSON, and its `Content-Type` says application/x-www-form-urlencoded; send JSON with `Content-Type: application/json`.",
  });
}

/** Browsers encode `{` and `[` in names, so this never applies to a real form. */
function isJson(bytes: Buffer): boolean {
  try {
    parseJson(bytes);
    return true;
  } catch {
    return false;
  }
}

async function isEmpty(source: BodySource): Promise<boolean> {
  for await (const chunk of source.stream() ?? []) if (chunk.length > 0) return false;
  return true;
}
