import type { PauseReason } from "../../../model/pause.ts";
import { family } from "../outcome.ts";
import { type Reply, ServiceError } from "./call.ts";

/** A fault that its owner has to mend: it ends the call, turns the webhook off, and tells them. */
export const pausing = (status: number, reason: PauseReason, what = ""): ServiceError =>
  new ServiceError("failed", {
    code: family(status),
    status,
    message: "",
    ours: true,
    pause: { reason, what },
  });

/** The service takes no more for now. `seconds` is its documented wait, for an answer without one of its own. */
export function limited(service: string, { status, retryAfter }: Reply, seconds: number): ServiceError {
  const asked = /^\d+$/.test(retryAfter ?? "") ? Math.min(Number(retryAfter), 8 * 3_600) : seconds;
  return new ServiceError("retry", {
    code: family(status),
    status,
    message: `${service} takes no more for now (HTTP ${status}); the next attempt waits ${asked} s at least.`,
    ours: true,
    waitSeconds: asked,
  });
}

/** Any other answer, with the service's own words. */
export const unexpected = (
  service: string,
  { status }: Pick<Reply, "status">,
  words: string,
  end: "retry" | "failed" = status >= 500 || status === 408 || status === 409 ? "retry" : "failed",
): ServiceError =>
  new ServiceError(end, {
    code: family(status),
    status,
    message: `${service} answered HTTP ${status}${words && `: ${words}`}`,
    ours: words === "",
  });
