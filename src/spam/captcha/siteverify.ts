import { ofetch } from "ofetch";

/** What a provider is asked, and how long it may take. */
export interface CaptchaQuestion {
  readonly secret: string;
  readonly token: string;
  readonly ip: string | null;
  readonly url: string;
  readonly signal: AbortSignal;
}

/** What a provider says. `hostname` is null where it names none; `misconfigured` says that our secret is at fault. */
export type CaptchaAnswer =
  | { readonly outcome: "passed"; readonly hostname: string | null; readonly score?: number }
  | { readonly outcome: "failed"; readonly reason: string; readonly misconfigured?: boolean }
  | { readonly outcome: "unreachable"; readonly reason: string };

/** A captcha service that is asked over the network. */
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

/** Posts a question and answers the JSON object that comes back, or why there is none. Never rejects. */
export async function exchange({ url, body, headers = {}, signal }: Sent): Promise<Record<string, unknown> | string> {
  try {
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
    // A verdict has `success`, whatever its status; the error page of a proxy has not.
    const isVerdict = typeof data === "object" && data !== null && "success" in data;
    return isVerdict && status < 500 && status !== 429 ? { ...data } : `it answered HTTP ${status}`;
  } catch (error) {
    return signal.aborted ? "it did not answer in time" : error instanceof Error ? error.message : String(error);
  }
}

/** Reads the reply that reCAPTCHA, hCaptcha and Turnstile have in common. */
export function readSiteverify(reply: Record<string, unknown> | string): CaptchaAnswer {
  if (typeof reply === "string") return { outcome: "unreachable", reason: reply };
  const codes = Array.isArray(reply["error-codes"]) ? reply["error-codes"].map(String) : [];
  if (reply["success"] !== true) {
    if (codes.includes("internal-error")) return { outcome: "unreachable", reason: "internal-error" };
    const misconfigured = codes.some((code) => /secret|sitekey/.test(code));
    return { outcome: "failed", reason: codes.join(", ") || "not solved", misconfigured };
  }
  const { hostname, score } = reply;
  return {
    outcome: "passed",
    hostname: typeof hostname === "string" && hostname !== "" ? hostname : null,
    ...(typeof score === "number" && { score }),
  };
}

/** The form that reCAPTCHA and hCaptcha take. */
export const siteverifyForm = ({ secret, token, ip }: CaptchaQuestion): URLSearchParams =>
  new URLSearchParams({ secret, response: token, ...(ip !== null && { remoteip: ip }) });
