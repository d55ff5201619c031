import { createHmac, randomInt } from "node:crypto";
import type { Challenge, Payload } from "altcha-lib";
import { packages } from "../../../lib/packages.ts";

const LIFE_MS = 10 * 60_000;

/** A solution that is right, with the name under which it must be remembered, and until when (epoch ms). */
export type AltchaReading =
  | { readonly solved: true; readonly nonce: string; readonly expiresAt: number }
  | { readonly solved: false; readonly reason: string };

/** A new challenge for a form; `now` in epoch ms. It costs this process one key derivation, the visitor's thousands. */
export async function issueChallenge(secret: string, formId: string, now: number): Promise<Challenge> {
  const [{ createChallenge }, { deriveKey }] = await Promise.all([packages.altcha(), packages.pbkdf2()]);
  return createChallenge({
    algorithm: "PBKDF2/SHA-256",
    cost: 5_000,
    counter: randomInt(5_000, 10_001),
    deriveKey,
    // For the widget, which fetches another when it expires. We judge by the signed data, on the host's clock.
    expiresAt: new Date(Date.now() + LIFE_MS),
    data: { form: formId, until: now + LIFE_MS },
    hmacSignatureSecret: secret,
    hmacKeySignatureSecret: keySecret(secret),
  });
}

/** Reads the value of the widget's field: base64 of JSON, from anybody. Never rejects. */
export async function readSolution(secret: string, formId: string, field: string, now: number): Promise<AltchaReading> {
  try {
    const { challenge, solution } = JSON.parse(Buffer.from(field, "base64").toString()) as Payload;
    const [{ verifySolution }, { deriveKey }] = await Promise.all([packages.altcha(), packages.pbkdf2()]);
    const result = await verifySolution({
      challenge,
      solution,
      deriveKey,
      hmacSignatureSecret: secret,
      hmacKeySignatureSecret: keySecret(secret),
    });
    if (result.expired) return { solved: false, reason: "expired" };
    if (!result.verified) return { solved: false, reason: result.invalidSignature ? "forged" : "wrong solution" };
    // From here on everything in the challenge is our own.
    const { nonce, data } = challenge.parameters;
    const expiresAt = Number(data?.["until"]);
    if (data?.["form"] !== formId) return { solved: false, reason: "a challenge of another form" };
    if (!(now < expiresAt)) return { solved: false, reason: "expired" };
    return { solved: true, nonce, expiresAt };
  } catch {
    return { solved: false, reason: "unreadable" };
  }
}

const keySecret = (secret: string): string => createHmac("sha256", secret).update("key signature").digest("hex");
