import { hkdfSync } from "node:crypto";
import { CompactEncrypt, compactDecrypt } from "jose";
import { createLru } from "./lru.ts";

/** Keeps secrets at rest: JWE with A256GCM under a key derived from the option `secret`. */
export interface Seal {
  seal(text: string): Promise<string>;
  /** Throws when the text was sealed under another secret. */
  open(sealed: string): Promise<string>;
}

/** A key for one purpose, so that no two uses of the option `secret` share bytes. */
export function deriveKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "form-backend", purpose, 32));
}

/** Opened texts that are remembered: each webhook's secret is needed for each of its deliveries. */
const OPENED = 1_000;

export function createSeal(secret: string): Seal {
  const key = deriveKey(secret, "seal");
  const opened = createLru<string>(OPENED);
  return {
    seal: (text) =>
      new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .encrypt(key),
    async open(sealed) {
      const known = opened.get(sealed);
      if (known !== undefined) return known;
      const text = new TextDecoder().decode((await compactDecrypt(sealed, key)).plaintext);
      opened.set(sealed, text);
      return text;
    },
  };
}
