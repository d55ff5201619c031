import { ApiError } from "../../errors.ts";
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
