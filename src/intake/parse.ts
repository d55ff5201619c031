import { ApiError } from "../errors.ts";
import { addJson, type FieldCollector, MAX_FIELD_BYTES, type Posted } from "./fields.ts";
import { parseMultipart } from "./multipart.ts";
import type { Uploads } from "./uploads.ts";
import { parseUrlencoded } from "./urlencoded.ts";

/** How `parse` gets at a body, handed in so that intake does not depend on HTTP's own folder. */
export interface BodySource {
  readonly mediaType: string;
  readonly contentType: string;
  /** The whole body, at most `limit` bytes. */
  bytes(limit: number): Promise<Buffer>;
  json(bytes: Buffer): unknown;
  /** The body as it arrives, null when there is none. A sender that is too slow ends it with `request_timeout`. */
  stream(): AsyncIterable<Uint8Array> | null;
}

// Percent-encoding triples a byte, as `\u00fc` in JSON does, and every field has a name and its punctuation.
const ENCODED_LIMIT = 3 * MAX_FIELD_BYTES + 64 * 1024;

/**
 * Reads a post: its fields into `fields`, its files into `uploads`, where both are also found when it throws. Throws
 * `unsupported_media_type`, `payload_too_large`, `invalid_parameter`, `request_timeout` and what `uploads.take` and `scan` throw.
 */
export async function parsePost(source: BodySource, fields: FieldCollector, uploads: Uploads): Promise<Posted> {
  switch (source.mediaType) {
    case "application/x-www-form-urlencoded":
      parseUrlencoded(await source.bytes(ENCODED_LIMIT), fields);
      break;
    case "multipart/form-data":
      await parseMultipart(source.contentType, source.stream(), fields, uploads);
      await uploads.scan();
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
  return fields.done(uploads);
}

async function isEmpty(source: BodySource): Promise<boolean> {
  for await (const chunk of source.stream() ?? []) if (chunk.length > 0) return false;
  return true;
}
