import { ApiError } from "../errors.ts";
import { traceOf } from "../lib/message.ts";

/** The cause of a failure in the background, for the log: our own error by its message, any other without its text. */
export const faultText = (error: unknown): string => (error instanceof ApiError ? error.message : traceOf(error));
