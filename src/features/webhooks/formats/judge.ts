import { safeMessage } from "../../../lib/message.ts";
import { retryable } from "../../../model/codes.ts";
import { family } from "../outcome.ts";
import type { Attempt } from "../request.ts";
import type { RequestFormat, Verdict } from "./types.ts";

/** An attempt as its service meant it. */
export type Judged = Attempt & Pick<Verdict, "end">;

/** Interprets an attempt's response in the service's terms. An attempt without a response is retried if its code allows it. */
export function judge(attempt: Attempt, { classify }: Pick<RequestFormat, "classify">): Judged {
  const { http_status, body = "", retry_after } = attempt;
  if (http_status === undefined) return { ...attempt, end: retryable(attempt.code) ? "retry" : "failed" };
  const verdict = classify({ status: http_status, body, retryAfter: retry_after });
  const { end, status = http_status, message = attempt.message } = verdict;
  if (end === "delivered") return { ...attempt, ok: true, code: "SUCCESS", message: "", end };
  const { retry_after: _, ...rest } = attempt;
  return {
    ...rest,
    ok: false,
    code: attempt.ok || status !== http_status ? family(status) : attempt.code,
    http_status: status,
    message: safeMessage(message),
    ...(verdict.retryAfter !== undefined && { retry_after: verdict.retryAfter }),
    end,
  };
}
