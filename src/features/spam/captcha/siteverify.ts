import { errorMessage } from "../../../lib/message.ts";
import { packages } from "../../../lib/packages.ts";

/** The request to a provider, and its time limit. */
export interface CaptchaQuestion {
  readonly secret: string;
  readonly token: string;
  readonly ip: string | null;
  readonly url: string;
  readonly signal: AbortSignal;
}

/** A provider's verdict. `hostname` is null if it names none; `misconfigured` means that our secret is wrong. */
export type CaptchaAnswer =
  | { readonly outcome: "passed"; readonly hostname: string | null; readonly score?: number }
  | { readonly outcome: "failed"; readonly reason: string; readonly misconfigured?: boolean }
  | { readonly outcome: "unreachable"; readonly reason: string };

/** A captcha service behind a network request. */
export interface RemoteCaptcha {
  /** The fields in which its widget puts the token, the first one that is filled counts. */
  readonly fields: readonly string[];
  readonly url: string;
  readonly ask: (question: CaptchaQuestion) => Promise<CaptchaAnswer>;
}

interface Sent {
  readonly url: string;
  readonly body: URLSearchParams | Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly signal: AbortSignal;
}

/** The reply: the JSON object of a verdict, or the meaning of its absence. */
export type Reply = { readonly verdict: Readonly<Record<string, unknown>> } | { readonly none: CaptchaAnswer };

const unreachable = (reason: string): Reply => ({ none: { outcome: "unreachable", reason } });

/** "Later", which says nothing of the question. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Posts a request and returns the reply. Never rejects. A 4xx without a verdict is a refusal and not an outage: the request
 * contains the visitor's text, and nobody may pass by making a service or its firewall refuse the request.
 */
export async function exchange({ url, body, headers = {}, signal }: Sent): Promise<Reply> {
  try {
    const { ofetch } = await packages.ofetch();
    const { status, _data: data } = await ofetch.raw<unknown>(url, {
      method: "POST",
      headers: { accept: "application/json", ...headers },
      body,
      signal,
      ignoreResponseError: true,
      // The secret goes to the address that was configured and to no other.
      redirect: "error",
      retry: 0,
    });
    // A verdict has `success`, whatever its status; a proxy's error page has not.
    const isVerdict = typeof data === "object" && data !== null && "success" in data;
    if (status >= 500 || LATER.has(status)) return unreachable(`it answered HTTP ${status}`);
    if (isVerdict) return { verdict: { ...data } };
    const reason = `it answered HTTP ${status} without a verdict`;
    return status >= 400 ? { none: { outcome: "failed", reason } } : unreachable(reason);
  } catch (error) {
    if (signal.aborted) return unreachable("it did not respond in time");
    return unreachable(errorMessage(error));
  }
}

/** The reasons that the providers document. */
const REASONS =
  /^(?:(?:missing|invalid)-(?:input-(?:secret|response)|remoteip)|bad-request|timeout-or-duplicate|internal-error|(?:expired|already-seen|invalid-or-already-seen|missing|invalid)-(?:input-)?(?:response|secret|sitekey)|sitekey-secret-mismatch|not-using-dummy-(?:passcode|secret)|(?:auth|sitekey|response)_(?:required|invalid|missing|timeout|duplicate)|bad_request)$/;

/** A provider's reason if it is a documented one. Any other text stays out of the log: it may repeat the visitor's token. */
export const knownReason = (reason: unknown): string =>
  typeof reason === "string" && REASONS.test(reason) ? reason : "a reason that is not documented";

/** Reads the reply that reCAPTCHA, hCaptcha and Turnstile have in common. */
export function readSiteverify(reply: Reply): CaptchaAnswer {
  if ("none" in reply) return reply.none;
  const { verdict } = reply;
  const codes = Array.isArray(verdict["error-codes"]) ? verdict["error-codes"].map(knownReason) : [];
  if (verdict["success"] !== true) {
    if (codes.includes("internal-error")) return { outcome: "unreachable", reason: "internal-error" };
    const misconfigured = codes.some((code) => /secret|sitekey/.test(code));
    return { outcome: "failed", reason: codes.join(", ") || "not solved", misconfigured };
  }
  const { hostname, score } = verdict;
  return {
    outcome: "passed",
    hostname: typeof hostname === "string" && hostname !== "" ? hostname : null,
    ...(typeof score === "number" && { score }),
  };
}

/** The form that reCAPTCHA and hCaptcha take. */
export const siteverifyForm = ({ secret, token, ip }: CaptchaQuestion): URLSearchParams =>
  new URLSearchParams({ secret, response: token, ...(ip !== null && { remoteip: ip }) });
