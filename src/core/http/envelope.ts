import { ApiError } from "../../errors.ts";
import { LeafError } from "../../lib/leaves.ts";
import { traceOf } from "../../lib/message.ts";
import { jsonResponse } from "../../lib/response.ts";
import type { Logger } from "../options/types.ts";
import { errorBody } from "./error-body.ts";

export function errorResponse(error: ApiError, requestId: string): Response {
  return jsonResponse(errorBody(error, requestId), error.status, error.headers);
}

/**
 * Turns any thrown value into an `ApiError`. An unknown error is logged, and its cause is not shown outside. A body that was
 * already read is logged too: visitors see the error, but only the developer who mounted the backend can fix it.
 */
export function toApiError(error: unknown, requestId: string, logger: Logger): ApiError {
  if (error instanceof ApiError) {
    if (error.code === "body_consumed") logger.error(`${requestId}: ${error.message}`);
    return error;
  }
  logger.error(`${requestId}: ${traceOf(error)}`);
  return new ApiError("internal_error", { cause: error });
}

/**
 * The same for a visitor. A record that this version can't read becomes 503: during an upgrade, a process of the version that
 * wrote it takes the same request.
 */
export function toVisitorError(error: unknown, requestId: string, logger: Logger): ApiError {
  const found = toApiError(error, requestId, logger);
  if (!(found.cause instanceof LeafError)) return found;
  return new ApiError("unavailable", { headers: { "retry-after": "5" }, cause: found });
}
