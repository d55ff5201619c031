import busboy from "@fastify/busboy";
import { ApiError } from "../errors.ts";
import { addJson, collectFields, MAX_FIELD_BYTES, type Posted } from "./fields.ts";

/** How `parse` gets at a body, handed in so that intake does not depend on HTTP's own folder. */
export interface BodySource {
  readonly mediaType: string;
  readonly contentType: string;
  /** The whole body, at most `limit` bytes. */
  bytes(limit: number): Promise<Buffer>;
  json(bytes: Buffer): unknown;
}

// Percent-encoding triples a byte, and every field has a name and two separators.
const URLENCODED_LIMIT = 3 * MAX_FIELD_BYTES + 64 * 1024;
const MULTIPART_LIMIT = 2 * MAX_FIELD_BYTES;

/** The fields of a post. Throws `unsupported_media_type`, `payload_too_large`, `invalid_parameter`. */
export async function parsePost(source: BodySource): Promise<Posted> {
  switch (source.mediaType) {
    case "application/x-www-form-urlencoded":
      return parseUrlencoded(await source.bytes(URLENCODED_LIMIT));
    case "multipart/form-data":
      return parseMultipart(await source.bytes(MULTIPART_LIMIT), source.contentType);
    case "application/json": {
      const posted = collectFields();
      addJson(posted.add, source.json(await source.bytes(MAX_FIELD_BYTES)));
      return posted.done();
    }
    default:
      if (source.mediaType === "" && (await source.bytes(1)).length === 0) return collectFields().done();
      throw new ApiError("unsupported_media_type", {
        message: "Send the form as application/x-www-form-urlencoded, multipart/form-data or application/json.",
      });
  }
}

function parseUrlencoded(bytes: Buffer): Posted {
  const posted = collectFields();
  for (const [key, value] of new URLSearchParams(bytes.toString())) posted.add(key, value);
  return posted.done();
}

function parseMultipart(bytes: Buffer, contentType: string): Promise<Posted> {
  const posted = collectFields();
  return new Promise((resolve, reject) => {
    const malformed = (cause: unknown) =>
      reject(
        cause instanceof ApiError
          ? cause
          : new ApiError("invalid_parameter", { message: "The multipart body cannot be parsed.", cause }),
      );
    try {
      const parser = busboy({
        headers: { "content-type": contentType },
        limits: { fields: 501, files: 20, fieldSize: 64 * 1024 + 1, fieldNameSize: 1024, headerPairs: 32 },
      });
      parser.on("field", (key, value, _nameTruncated, valueTruncated) => {
        try {
          if (valueTruncated)
            throw new ApiError("payload_too_large", { message: "The form endpoint accepts values of at most 64 KB." });
          posted.add(key, value);
        } catch (error) {
          reject(error);
        }
      });
      parser.on("file", (_key, stream, name) => {
        // A file input that was left empty arrives as a part without a name and without content.
        let size = 0;
        stream.on("data", (chunk: Buffer) => {
          size += chunk.length;
        });
        // A part that is cut off errs by itself, and an error nobody listens for ends the process.
        stream.on("error", malformed);
        stream.on("end", () => {
          if (size > 0 || name) {
            reject(new ApiError("unsupported_media_type", { message: "This form does not accept files." }));
          }
        });
      });
      parser.on("partsLimit", () => reject(new ApiError("payload_too_large")));
      parser.on("error", malformed);
      parser.on("finish", () => resolve(posted.done()));
      parser.end(bytes);
    } catch (error) {
      malformed(error);
    }
  });
}
