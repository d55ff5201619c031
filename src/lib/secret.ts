import { createHash, timingSafeEqual } from "node:crypto";

/** Compares two secrets in a time that tells nothing of either; the only comparison of secrets in the library. */
export function sameSecret(a: string | Uint8Array, b: string | Uint8Array): boolean {
  // Hashing first makes both sides equally long, which timingSafeEqual demands and a caller can't be trusted to ensure.
  return timingSafeEqual(createHash("sha256").update(a).digest(), createHash("sha256").update(b).digest());
}
