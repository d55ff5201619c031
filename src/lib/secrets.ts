import { hkdfSync } from "node:crypto";

/** One value of the option `secret`, and the name that sealed and signed text carries for it. */
export interface Secret {
  readonly kid: string;
  readonly text: string;
}

/** The option `secret` as a list: the first one seals and signs; the others only open and verify older text. */
export type Secrets = () => readonly Secret[];

/** The characters of a name: short enough for links, and long enough that no two secrets of a list share it. */
export const KID_LENGTH = 8;

/** A secret with its name, which is derived and tells nothing of it. */
export const toSecret = (text: string): Secret => ({
  kid: Buffer.from(deriveKey(text, "kid")).toString("base64url").slice(0, KID_LENGTH),
  text,
});

/** A key for one purpose, so that no two uses of the option `secret` share bytes. */
export function deriveKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "form-backend", purpose, 32));
}

/** The keys of one purpose, each derived once; asked for at the first use, because `secret` is. */
export interface Keyring {
  /** The secret for new text. */
  current(): { readonly kid: string; readonly key: Uint8Array };
  /** The one of this name, or undefined. */
  named(kid: string): Uint8Array | undefined;
  /** All of them, the current first. */
  all(): readonly Uint8Array[];
  /** One that two processes agree on while one lists a new secret first and the other still last. */
  stable(): Uint8Array;
}

export function createKeyring(secrets: Secrets, purpose: string): Keyring {
  let derived: readonly { readonly kid: string; readonly key: Uint8Array }[] | undefined;
  const keys = () => (derived ??= secrets().map(({ kid, text }) => ({ kid, key: deriveKey(text, purpose) })));
  return {
    current: () => keys()[0] as { kid: string; key: Uint8Array },
    named: (wanted) => keys().find(({ kid }) => kid === wanted)?.key,
    all: () => keys().map(({ key }) => key),
    stable: () => keys().reduce((least, other) => (other.kid < least.kid ? other : least)).key,
  };
}
