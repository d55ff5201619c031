import { hkdfSync } from "node:crypto";
import { CompactEncrypt, compactDecrypt } from "jose";

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

export function createSeal(secret: string): Seal {
  const key = deriveKey(secret, "seal");
  return {
    seal: (text) =>
      new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .encrypt(key),
    open: async (sealed) => new TextDecoder().decode((await compactDecrypt(sealed, key)).plaintext),
  };
}
