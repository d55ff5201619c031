import { randomBytes } from "node:crypto";
import { perBackend } from "../../core/per-backend.ts";
import type { Secrets } from "../../lib/secrets.ts";
import { createSigner } from "../../lib/signer.ts";

const LIFE_MS = 24 * 60 * 60_000;
/** Nobody fills in a form faster. */
const MIN_AGE_MS = 2_000;

/** Says that a page with the form was opened, when, and lets it be sent once. */
interface RenderToken {
  readonly token: string;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** The verdict on a post's token; `id` and `expiresAt` only if it is ours and not yet expired. */
type TokenReading =
  | { readonly fault: "forged" | "expired" }
  | { readonly fault: "too_fast" | null; readonly id: string; readonly expiresAt: number };

export interface RenderTokens {
  issue(formId: string, now: number): RenderToken;
  read(token: string, formId: string, now: number): TokenReading;
}

/** Render tokens: `time.nonce.signature`, where the signature also covers the form. */
export function createRenderTokens(secrets: Secrets): RenderTokens {
  const signer = createSigner(secrets, "token");
  const signed = (formId: string, time: string, nonce: string): string => JSON.stringify([formId, time, nonce]);
  return {
    issue(formId, now) {
      const time = now.toString(36);
      const nonce = randomBytes(16).toString("base64url");
      return { token: `${time}.${nonce}.${signer.sign(signed(formId, time, nonce))}`, expiresAt: now + LIFE_MS };
    },
    read(token, formId, now) {
      const [time = "", nonce = "", signature = "", ...more] = token.split(".", 4);
      if (more.length > 0 || !signer.verify(signed(formId, time, nonce), signature)) return { fault: "forged" };
      const issuedAt = Number.parseInt(time, 36);
      const expiresAt = issuedAt + LIFE_MS;
      if (now >= expiresAt) return { fault: "expired" };
      return { fault: now - issuedAt < MIN_AGE_MS ? "too_fast" : null, id: nonce, expiresAt };
    },
  };
}

/** The render tokens of one backend. */
export const renderTokensOf = perBackend(({ options }) => createRenderTokens(() => options.secrets));
