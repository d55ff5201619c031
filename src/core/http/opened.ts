import { ApiError } from "../../errors.ts";
import { traceOf } from "../../lib/message.ts";
import type { Exchange } from "./route.ts";

/** Opens the drivers for a request. A store that can't be opened is the same to a caller as one that went down later. Throws `unavailable`. */
export async function opened({ core, ready, requestId }: Exchange): Promise<void> {
  await ready().catch((cause: unknown) => {
    if (cause instanceof ApiError) throw cause;
    core.options.logger.error(`${requestId}: ${traceOf(cause)}`);
    throw new ApiError("unavailable", { headers: { "retry-after": "5" }, cause });
  });
}
