import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { deriveKey, type Secret } from "../../lib/secrets.ts";
import type { DataKey } from "./data-keys.ts";

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The place of a value: form, submission, and its index and name there. It can't be opened anywhere else. */
export type Place = readonly (string | number)[];

/** A value under a data key: AES-256-GCM, as iv, ciphertext and tag in base64url. */
export function sealText({ id, bytes }: DataKey, text: string, place: Place): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, bytes, iv).setAAD(bound(id, place));
  return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64url");
}

/** The value, or null where the text was sealed under another key, for another place, or changed. */
export function openText({ id, bytes }: DataKey, sealed: string, place: Place): string | null {
  const all = Buffer.from(sealed, "base64url");
  if (all.length < IV_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, bytes, all.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(bound(id, place)).setAuthTag(all.subarray(-TAG_BYTES));
  try {
    return decipher.update(all.subarray(IV_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return null;
  }
}

export const bound = (keyId: string, place: Place): Buffer => Buffer.from(JSON.stringify([keyId, ...place]));

/** Hashes values of a form's fields: HMAC-SHA-256 in hex, under a key that a secret gives to this form alone. */
export function hasherOf(secret: Secret | undefined, formId: string): (text: string) => string {
  if (!secret) throw new TypeError("[form-backend] option `secret`: a secret is needed for hashing");
  const key = deriveKey(secret.text, `field-hash:${formId}`);
  return (text) => createHmac("sha256", key).update(text).digest("hex");
}
