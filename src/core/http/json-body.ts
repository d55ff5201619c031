import { ApiError } from "../../errors.ts";
import { parseJson } from "../../lib/json.ts";
import { mediaType, readBody } from "./body.ts";

/**
 * A JSON body. Throws `unsupported_media_type`, `payload_too_large`, or `invalid_parameter` without `param` when it is missing or
 * does not parse.
 */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  // A request without a body has no media type either.
  if (mediaType(request) !== "") assertJson(request);
  const bytes = await readBody(request, limit);
  if (bytes.length === 0) throw new ApiError("invalid_parameter", { message: "The body is missing; send it as JSON." });
  assertJson(request);
  return parseJson(bytes);
}

/** A JSON body that may be left out, which is an empty object then. Throws as `readJson` does. */
export async function readOptionalJson(request: Request, limit: number): Promise<unknown> {
  const bytes = await readBody(request, limit);
  if (bytes.length === 0) return {};
  assertJson(request);
  return parseJson(bytes);
}

function assertJson(request: Request): void {
  if (mediaType(request) === "application/json") return;
  throw new ApiError("unsupported_media_type", {
    message: "Send the body as JSON, with `Content-Type: application/json`.",
  });
}
