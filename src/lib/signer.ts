import { createHmac } from "node:crypto";
import { sameSecret } from "./secret.ts";
import { createKeyring, KID_LENGTH, type Secrets } from "./secrets.ts";

/** Signs texts of one purpose: the name of the secret, and an HMAC-SHA-256 under a key derived from it. */
export interface Signer {
  /** Signs with the first secret. */
  sign(text: string): string;
  /** True if any of the secrets signed this text, judged in a time that tells nothing of the signature. */
  verify(text: string, signature: string): boolean;
  /** A name for a text, which does not reveal it. It does not depend on the order of the secrets. */
  conceal(text: string): string;
}

/** `secrets` is called at first use. No two purposes may share a name. */
export function createSigner(secrets: Secrets, purpose: string): Signer {
  const keys = createKeyring(secrets, purpose);
  return {
    sign(text) {
      const { kid, key } = keys.current();
      return kid + hmac(key, text);
    },
    verify(text, signature) {
      const named = keys.named(signature.slice(0, KID_LENGTH));
      if (named) return sameSecret(signature.slice(KID_LENGTH), hmac(named, text));
      // Signed before names were given.
      return keys.all().some((key) => sameSecret(signature, hmac(key, text)));
    },
    conceal: (text) => createHmac("sha256", keys.stable()).update(text).digest("hex"),
  };
}

const hmac = (key: Uint8Array, text: string): string => createHmac("sha256", key).update(text).digest("base64url");
