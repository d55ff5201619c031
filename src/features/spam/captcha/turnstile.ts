import { randomUUID } from "node:crypto";
import { exchange, type RemoteCaptcha, readSiteverify } from "./siteverify.ts";

const MAX_TOKEN = 2_048;

/** Cloudflare Turnstile. A token is good for one question, but the idempotency key makes it safe to ask that one twice. */
export const turnstile: RemoteCaptcha = {
  fields: ["cf-turnstile-response"],
  url: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
  async ask({ secret, token, ip, url, signal }) {
    if (token.length > MAX_TOKEN) return { outcome: "failed", reason: "the token is too long" };
    const body = { secret, response: token, idempotency_key: randomUUID(), ...(ip !== null && { remoteip: ip }) };
    const answer = readSiteverify(await exchange({ url, body, signal }));
    if (answer.outcome !== "unreachable" || signal.aborted) return answer;
    return readSiteverify(await exchange({ url, body, signal }));
  },
};
