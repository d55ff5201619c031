import { z } from "zod";
import { ApiError, type ErrorCode, errors } from "../errors.ts";
import { describe } from "../lib/message.ts";
import { jsonResponse } from "../lib/response.ts";
import type { Logger } from "../options/types.ts";

/** Every error of v1 and of the public endpoint. */
export const ErrorEnvelope = z
  .object({
    error: z.object({
      type: z.enum([...new Set(Object.values(errors).map(({ type }) => type))]),
      code: z.enum(Object.keys(errors) as ErrorCode[]).describe("Stable, so compare it in programs."),
      message: z.string().describe("For people; may change."),
      param: z.string().optional().describe("The request field at fault, as a dot path."),
      required: z.array(z.string()).optional().describe("The missing scopes, with `insufficient_scope`."),
      request_id: z.string(),
    }),
  })
  .meta({ id: "Error" });

/** The error envelope of v1. */
export function errorBody(error: ApiError, requestId: string): z.infer<typeof ErrorEnvelope> {
  return {
    error: {
      type: error.type,
      code: error.code,
      message: error.message,
      ...(error.param !== undefined && { param: error.param }),
      ...(error.required !== undefined && { required: [...error.required] }),
      request_id: requestId,
    },
  };
}

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
  logger.error(`${requestId}: ${describe(error)}`);
  return new ApiError("internal_error", { cause: error });
}
