import { bodyStream, mediaType, readBody, UPLOAD_PACE } from "../../core/http/body.ts";
import { ApiError } from "../../errors.ts";
import { parseMultipart } from "../../features/intake/multipart.ts";
import { type AnswerFile, MAX_MESSAGE_FILES } from "../../model/messages.ts";

/** Most pages post a few ids and a filter. */
const LIMITS = { bytes: 64 * 1024, values: 1_000 };

/** The values of a posted form of a page. Throws `unsupported_media_type`, `payload_too_large`. */
export async function posted(request: Request, { bytes, values } = LIMITS): Promise<URLSearchParams> {
  const type = mediaType(request);
  if (type !== "application/x-www-form-urlencoded" && type !== "") throw new ApiError("unsupported_media_type");
  const body = new URLSearchParams((await readBody(request, bytes)).toString("utf8"));
  if (body.size > values) throw new ApiError("payload_too_large");
  return body;
}

/** Bytes of all files of one form of a page, which are kept in memory until it is known that its person may store them. */
const MOST_FILE_BYTES = 20 * 1024 * 1024;
const ANSWER = { bytes: 256 * 1024, values: 100 };

/** An answer as a page sent it. */
export interface PostedAnswer {
  readonly body: URLSearchParams;
  readonly files: readonly AnswerFile[];
  /** The fault of its files, with which its text may still have arrived. */
  readonly fault: ApiError | null;
}

/** Reads an answer, with its files if it has some. Throws `unsupported_media_type`, `payload_too_large`. */
export async function postedAnswer(request: Request): Promise<PostedAnswer> {
  if (mediaType(request) !== "multipart/form-data")
    return { body: await posted(request, ANSWER), files: [], fault: null };
  const body = new URLSearchParams();
  const files: AnswerFile[] = [];
  let size = 0;
  let hasBegun = false;
  const fields = {
    add(name: string, value: string): void {
      if (body.size >= ANSWER.values) throw new ApiError("payload_too_large");
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
    await parseMultipart(request.headers.get("content-type") ?? "", stream, fields, uploads, ANSWER.bytes);
    return { body, files, fault: null };
  } catch (error) {
    if (!(error instanceof ApiError) || !body.has("text")) throw error;
    return { body, files: [], fault: error };
  }
}

/** Checks the return path that a page sent: it must be a path of the inbox, otherwise null. */
export const ownPath = (path: string | null): string | null =>
  path !== null && path.length <= 2_000 && /^\/(?![/\\])[^\\\s]*$/.test(path) && !/(^|\/)\.{1,2}(\/|$)/.test(path)
    ? path
    : null;
