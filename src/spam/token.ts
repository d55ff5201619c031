import { createHmac, randomBytes } from "node:crypto";
import { deriveKey } from "../lib/seal.ts";
import { sameSecret } from "../lib/secret.ts";

const LIFE_MS = 24 * 60 * 60_000;
/** Nobody fills in a form faster. */
const MIN_AGE_MS = 2_000;

/** Says that a page with the form was opened, when, and lets it be sent once. */
interface RenderToken {
  readonly token: string;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** What a token that came with a post is worth; `id` and `expiresAt` only of one that is ours and not yet expired. */
type TokenReading =
  | { readonly fault: "forged" | "expired" }
  | { readonly fault: "too_fast" | null; readonly id: string; readonly expiresAt: number };

export interface RenderTokens {
  issue(formId: string, now: number): RenderToken;
  read(token: string, formId: string, now: number): TokenReading;
}

/** Render tokens: `time.nonce.mac`, where the MAC also covers the form. */
export function createRenderTokens(secret: string): RenderTokens {
  const key = deriveKey(secret, "token");
  const sign = (formId: string, time: string, nonce: string): string =>
    createHmac("sha256", key)
      .update(JSON.stringify([formId, time, nonce]))
      .digest("base64url");
  return {
    issue(formId, now) {
      const time = now.toString(36);
      const nonce = randomBytes(16).toString("base64url");
      return { token: `${time}.${nonce}.${sign(formId, time, nonce)}`, expiresAt: now + LIFE_MS };
    },
    read(token, formId, now) {
      const [time = "", nonce = "", mac = "", ...more] = token.split(".", 4);
      if (more.length > 0 || !sameSecret(mac, sign(formId, time, nonce))) return { fault: "forged" };
      const issuedAt = Number.parseInt(time, 36);
      const expiresAt = issuedAt + LIFE_MS;
      if (now >= expiresAt) return { fault: "expired" };
      return { fault: now - issuedAt < MIN_AGE_MS ? "too_fast" : null, id: nonce, expiresAt };
    },
  };
}
