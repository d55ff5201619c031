import { ApiError } from "../errors.ts";
import { jsonResponse } from "../lib/response.ts";
import type { Logger } from "../options.ts";

/** The error envelope of v1. */
export function errorBody(error: ApiError, requestId: string) {
  return {
    error: {
      type: error.type,
      code: error.code,
      message: error.message,
      ...(error.param !== undefined && { param: error.param }),
      ...(error.required !== undefined && { required: error.required }),
      request_id: requestId,
    },
  };
}

export function errorResponse(error: ApiError, requestId: string): Response {
  return jsonResponse(errorBody(error, requestId), error.status, error.headers);
}

/** Whatever was thrown, as an `ApiError`; what is not one is logged and says nothing of its cause to the outside. */
export function toApiError(error: unknown, requestId: string, logger: Logger): ApiError {
  if (error instanceof ApiError) return error;
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  logger.error(`${requestId}: ${detail}`);
  return new ApiError("internal_error", { cause: error });
}
