import type { ServiceAccount } from "../../../lib/service-account.ts";
import { listAt, type Reply, type ServiceError, said, textAt } from "./call.ts";
import { limited, pausing, unexpected } from "./faults.ts";

const SERVICE = "Google Sheets";
/** Quotas are counted by the minute. */
const QUOTA_SECONDS = 60;

/** The fault of an answer of the Sheets API that is no success. A 401 is one of a token that is new. */
export function googleFault(reply: Reply, { client_email }: ServiceAccount): ServiceError {
  const { status } = reply;
  const words = textAt(reply.json, "error", "message");
  const state = textAt(reply.json, "error", "status");
  const reasons = [
    ...listAt(reply.json, "error", "details").map((one) => textAt(one, "reason")),
    ...listAt(reply.json, "error", "errors").map((one) => textAt(one, "reason")),
  ];
  const isQuota = reasons.some((reason) => /rate_?limit|quota|userRateLimit/i.test(reason)) || /\bquota\b/i.test(words);
  if (status === 429 || (status === 403 && isQuota)) return limited(SERVICE, reply, QUOTA_SECONDS);
  if (status === 401) return pausing(status, "google_key_refused", client_email);
  if (status === 403) {
    const isOff = reasons.includes("SERVICE_DISABLED") || /has not been used|is disabled/i.test(words);
    return pausing(status, isOff ? "google_api_off" : "google_not_shared", client_email);
  }
  if (status === 404) return pausing(status, "google_no_file", client_email);
  if (status === 400 && /number of cells|10000000/i.test(words)) return pausing(status, "google_full");
  if (status === 400 && (state === "FAILED_PRECONDITION" || /not supported for this document/i.test(words)))
    return pausing(status, "google_not_a_sheet");
  return unexpected(SERVICE, reply, said(words));
}
