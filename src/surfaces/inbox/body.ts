import { ApiError } from "../../errors.ts";
import { mediaType, readBody } from "../api/kernel.ts";
import { type PostedWithFiles, postedWithFiles } from "../api/posted-files.ts";

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

const ANSWER = { bytes: 256 * 1024, values: 100 };

/** Reads an answer, with its files if it has some. Throws `unsupported_media_type`, `payload_too_large`. */
export async function postedAnswer(request: Request): Promise<PostedWithFiles> {
  return mediaType(request) === "multipart/form-data"
    ? postedWithFiles(request, ANSWER)
    : { body: await posted(request, ANSWER), files: [], fault: null };
}

/** Checks the return path that a page sent: it must be a path of the inbox, otherwise null. */
export const ownPath = (path: string | null): string | null =>
  path !== null && path.length <= 2_000 && /^\/(?![/\\])[^\\\s]*$/.test(path) && !/(^|\/)\.{1,2}(\/|$)/.test(path)
    ? path
    : null;
