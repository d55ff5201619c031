import { ApiError } from "../../errors.ts";
import { MAX_IMAGE_BYTES } from "../../model/images.ts";
import { tooLarge } from "./parts.ts";

/** The types that a host may pass as a file. */
export type FileInput = Uint8Array | ReadableStream<Uint8Array> | Blob;

/** The bytes of a file and its name, where it has one. Throws `payload_too_large`, `invalid_parameter` on `file`. */
export async function bytesOf(file: FileInput): Promise<{ file: Uint8Array; file_name: string }> {
  if (file instanceof Uint8Array) return { file, file_name: "" };
  const stream = file instanceof Blob ? file.stream() : file;
  if (!(stream instanceof ReadableStream)) {
    throw new ApiError("invalid_parameter", {
      param: "file",
      message: "`file` must be a Uint8Array, a ReadableStream or a Blob.",
    });
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > MAX_IMAGE_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return { file: Buffer.concat(chunks, size), file_name: file instanceof File ? file.name : "" };
}
