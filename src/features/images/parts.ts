import type { BusboyInstance } from "@fastify/busboy";
import { ApiError, wrongParameter } from "../../errors.ts";
import { packages } from "../../lib/packages.ts";
import { MAX_IMAGE_BYTES } from "../../model/images.ts";

/** Room for the other parts, their headers and the boundaries. */
const MAX_BODY_BYTES = MAX_IMAGE_BYTES + 64 * 1024;

/** The parts of an upload, as sent: the fields are not checked yet. */
export interface ImageParts {
  readonly file: Buffer;
  /** The file's own name on the sender's side. */
  readonly file_name: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Reads a multipart body as it arrives. Throws `payload_too_large`, `unsupported_media_type`, `invalid_parameter`. */
export async function readImageParts(contentType: string, body: AsyncIterable<Uint8Array> | null): Promise<ImageParts> {
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new ApiError("unsupported_media_type", { message: "Send the image as multipart/form-data." });
  }
  const fields = new Map<string, string>();
  const chunks: Buffer[] = [];
  let file_name: string | undefined;
  const faults: ApiError[] = [];
  const refuse = (error: ApiError): void => void faults.push(error);

  const parser = await open(contentType);
  parser.on("field", (name, value) => {
    if (fields.has(name)) refuse(wrongParameter(name, "may be sent once"));
    fields.set(name, value);
  });
  parser.on("file", (part, stream, name) => {
    if (part !== "file") refuse(wrongParameter(part, "is unknown here; send the image as `file`"));
    else if (file_name !== undefined) refuse(wrongParameter("file", "may be sent once"));
    else file_name = name ?? "";
    let size = 0;
    // A truncated part emits its own error, and an error without a listener ends the process.
    stream.on("error", (cause) => refuse(malformed(cause)));
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_IMAGE_BYTES) refuse(tooLarge());
      else if (faults.length === 0) chunks.push(chunk);
    });
  });
  for (const event of ["partsLimit", "filesLimit", "fieldsLimit"] as const) {
    parser.on(event, () => refuse(new ApiError("invalid_parameter", { message: "The body has too many parts." })));
  }
  const parsed = new Promise<void>((resolve) => {
    parser.on("error", (cause) => {
      refuse(malformed(cause));
      resolve();
    });
    parser.on("finish", resolve);
  });

  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) refuse(tooLarge());
    if (faults[0]) throw faults[0];
    parser.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }
  parser.end();
  await parsed;
  if (faults[0]) throw faults[0];
  if (file_name === undefined) throw wrongParameter("file", "is required, as a part with a file name");
  return { file: Buffer.concat(chunks), file_name, fields: Object.fromEntries(fields) };
}

async function open(contentType: string): Promise<BusboyInstance> {
  const { default: busboy } = await packages.busboy();
  try {
    return busboy({
      headers: { "content-type": contentType },
      limits: { fields: 8, files: 2, parts: 10, fieldSize: 1024, fieldNameSize: 100, headerPairs: 32 },
    });
  } catch (cause) {
    throw malformed(cause);
  }
}
const malformed = (cause: unknown): ApiError =>
  new ApiError("invalid_parameter", { message: "The multipart body cannot be parsed.", cause });
export const tooLarge = (): ApiError =>
  new ApiError("payload_too_large", { message: "The image is larger than the 5 MB accepted here." });
