import type { z } from "zod";
import type { ApiError } from "../../errors.ts";
import type { ErrorEnvelope } from "./error-schema.ts";

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
