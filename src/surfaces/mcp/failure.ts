import type { ApiError, ErrorCode } from "../../errors.ts";

/** Advice on an error, for an agent. */
const advice: Partial<Record<ErrorCode, string>> = {
  invalid_parameter: "Correct the argument and call again.",
  insufficient_scope: "This credential can't do it; tell the person, who can give you another one.",
  form_access_restricted: "This credential is limited to other forms; call list_forms.",
  form_not_found: "Call list_forms for the ids.",
  submission_not_found: "Call list_submissions for the ids.",
  webhook_not_found: "Call list_webhooks for the ids.",
  delivery_not_found: "Call list_webhook_deliveries for the ids.",
  recipient_not_found: "Call get_form for the recipients.",
  webhook_url_taken: "Call list_webhooks: the form has a webhook for this URL.",
  plan_restricted: "The team's plan does not include it; tell the person.",
  scan_concurrency: "Wait for your other searches to end, then call again.",
  unavailable: "Try again in a minute.",
  internal_error: "Try again once; then tell the person.",
};

/** The text of an error: its code, its sentence, the field, and the next step. */
export function failureText(error: ApiError): string {
  const wait = error.headers?.["retry-after"];
  const next = error.code === "rate_limited" ? `Wait ${wait ?? "a few"} seconds, then call again.` : advice[error.code];
  return [
    `${error.code}: ${error.message}`,
    ...(error.param === undefined ? [] : [`Field: ${error.param}`]),
    ...(error.required === undefined ? [] : [`Needs: ${error.required.join(" ")}`]),
    ...(next === undefined ? [] : [`Next: ${next}`]),
  ].join("\n");
}
