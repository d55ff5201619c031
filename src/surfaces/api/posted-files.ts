import { bodyStream, UPLOAD_PACE } from "../../core/http/body.ts";
import { ApiError } from "../../errors.ts";
import { parseMultipart } from "../../features/intake/multipart.ts";
import { type AnswerFile, MAX_MESSAGE_FILES } from "../../model/messages.ts";

/** Bytes of all files of one answer, which are kept in memory until it is known that its person may store them. */
const MOST_FILE_BYTES = 20 * 1024 * 1024;

/** The values of a form with files, as a page sent it. */
export interface PostedWithFiles {
  readonly body: URLSearchParams;
  readonly files: readonly AnswerFile[];
  /** The fault of its files, with which its text may still have arrived. */
  readonly fault: ApiError | null;
}

/** Reads an answer of the inbox as multipart. Throws the errors of `parseMultipart` where not even the text has arrived. */
export async function postedWithFiles(
  request: Request,
  most: { readonly bytes: number; readonly values: number },
): Promise<PostedWithFiles> {
  const body = new URLSearchParams();
  const files: AnswerFile[] = [];
  let size = 0;
  let hasBegun = false;
  const fields = {
    add(name: string, value: string): void {
      if (body.size >= most.values) throw new ApiError("payload_too_large");
      body.append(name, value);
    },
  };
  const uploads = {
    maxFiles: MAX_MESSAGE_FILES,
    hasBegun: () => hasBegun,
    async take({ name, declared, content }: { name: string; declared: string; content: AsyncIterable<Uint8Array> }) {
      hasBegun = true;
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) {
        size += chunk.length;
        if (size > MOST_FILE_BYTES)
          throw new ApiError("payload_too_large", { message: "The files of an answer may have 20 MB in all." });
        chunks.push(chunk);
      }
      // An empty file input arrives as a file without a name and content.
      if (chunks.length === 0) return;
      if (files.length >= MAX_MESSAGE_FILES) throw new ApiError("too_many_files");
      files.push({ name, declared, content: Buffer.concat(chunks) });
    },
  };
  const stream = bodyStream(request, UPLOAD_PACE);
  try {
    await parseMultipart(request.headers.get("content-type") ?? "", stream, fields, uploads, most.bytes);
    return { body, files, fault: null };
  } catch (error) {
    if (!(error instanceof ApiError) || !body.has("text")) throw error;
    return { body, files: [], fault: error };
  }
}
