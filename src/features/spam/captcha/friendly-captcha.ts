import { canParseUrl } from "../../../lib/can-parse-url.ts";
import { type CaptchaAnswer, exchange, knownReason, type RemoteCaptcha, type Reply } from "./siteverify.ts";

/** Friendly Captcha v2. The API key goes in a header, and a reply names the page's origin where the others name its host. */
export const friendlyCaptcha: RemoteCaptcha = {
  fields: ["frc-captcha-response"],
  url: "https://global.frcapi.com/api/v2/captcha/siteverify",
  async ask({ secret, token, url, signal }) {
    return read(await exchange({ url, headers: { "x-api-key": secret }, body: { response: token }, signal }));
  },
};

function read(reply: Reply): CaptchaAnswer {
  if ("none" in reply) return reply.none;
  const { success, data, error } = reply.verdict as {
    success: unknown;
    data?: { challenge?: { origin?: unknown } };
    error?: { error_code?: unknown };
  };
  if (success === true) return { outcome: "passed", hostname: hostOf(data?.challenge?.origin) };
  const code = typeof error?.error_code === "string" ? knownReason(error.error_code) : "not solved";
  return { outcome: "failed", reason: code, misconfigured: /^(auth|sitekey)_/.test(code) };
}

function hostOf(origin: unknown): string | null {
  if (typeof origin !== "string" || origin === "") return null;
  return canParseUrl(origin) ? new URL(origin).hostname : origin;
}
