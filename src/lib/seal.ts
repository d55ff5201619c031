import { createLru } from "./lru.ts";
import { packages } from "./packages.ts";
import { createKeyring, type Secrets } from "./secrets.ts";

/** Encrypts stored secrets: JWE with A256GCM, under a key derived from the option `secret`. The header `kid` names the secret. */
export interface Seal {
  /** Seals under the first secret. */
  seal(text: string): Promise<string>;
  /** Decrypts text sealed under any of the secrets. Throws a `SealError` if it was another one. */
  open(sealed: string): Promise<string>;
  /** True if it was sealed under the first secret, so that the others are not needed for it. */
  isCurrent(sealed: string): boolean;
}

/** Something stored was sealed under a secret that the option `secret` does not list. */
export class SealError extends Error {
  override readonly name = "SealError";
  constructor(cause?: unknown) {
    super(
      "[form-backend] something stored can't be opened, because it was sealed under another `secret`: set the option `secret` to " +
        "what it was, or list that one behind yours, or store the webhook's secret, the captcha's or the mail server's password again",
      { cause },
    );
  }
}

/** Opened texts that are remembered: each webhook's secret is needed for each of its deliveries. */
const OPENED = 1_000;

/** `secrets` is called at first use. Text sealed for one purpose can't be opened for another. */
export function createSeal(secrets: Secrets, purpose = "seal"): Seal {
  const keys = createKeyring(secrets, purpose);
  const opened = createLru<string>(OPENED);
  return {
    async seal(text) {
      const { kid, key } = keys.current();
      const { CompactEncrypt } = await packages.jose();
      return new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid })
        .encrypt(key);
    },
    async open(sealed) {
      const known = opened.get(sealed);
      if (known !== undefined) return known;
      const text = await decrypted(sealed);
      opened.set(sealed, text);
      return text;
    },
    isCurrent: (sealed) => kidOf(sealed) === keys.current().kid,
  };

  async function decrypted(sealed: string): Promise<string> {
    const kid = kidOf(sealed);
    const named = kid === undefined ? keys.all() : [keys.named(kid)];
    let cause: unknown;
    const { compactDecrypt } = await packages.jose();
    for (const key of named) {
      if (!key) continue;
      try {
        const { plaintext } = await compactDecrypt(sealed, key);
        return new TextDecoder().decode(plaintext);
      } catch (error) {
        cause = error;
      }
    }
    throw new SealError(cause);
  }
}

/** Undefined where it was sealed before names were given, and where it is no sealed text. */
function kidOf(sealed: string): string | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(sealed.split(".", 1)[0] ?? "", "base64url").toString());
    const kid = typeof header === "object" && header !== null ? Reflect.get(header, "kid") : undefined;
    return typeof kid === "string" ? kid : undefined;
  } catch {
    return undefined;
  }
}
