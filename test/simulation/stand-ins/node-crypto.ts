// In the place of `node:crypto`: randomness that follows from the seed; everything else is the real one.
import { hkdfSync as derive, type KeyObject, createPrivateKey as parseKey } from "real:node:crypto";
import { eachSeed, theWorld } from "../globals.ts";
import type { Random } from "../random.ts";

export * from "real:node:crypto";

let stream: Random | undefined;
eachSeed(() => {
  stream = undefined;
});
const random = (): Random => (stream ??= theWorld().random.fork("crypto"));

export function randomBytes(size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let n = 0; n < size; n++) bytes[n] = Math.floor(random().next() * 256);
  return bytes;
}

export function randomInt(low: number, high?: number): number {
  const [from, to] = high === undefined ? [0, low] : [low, high];
  return from + Math.floor(random().next() * (to - from));
}

export function randomUUID(): string {
  const hex = randomBytes(16).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Keys that follow from their arguments are made once for all processes of all seeds. */
const derived = new Map<string, ArrayBuffer>();
export function hkdfSync(
  digest: string,
  key: string | Uint8Array,
  salt: string,
  info: string,
  length: number,
): ArrayBuffer {
  // The key of a file is used once.
  if (typeof key !== "string") return derive(digest, key, salt, info, length);
  const name = JSON.stringify([digest, key, salt, info, length]);
  const known = derived.get(name) ?? derive(digest, key, salt, info, length);
  derived.set(name, known);
  return known.slice(0);
}

const parsed = new Map<unknown, KeyObject>();
export function createPrivateKey(pem: Parameters<typeof parseKey>[0]): KeyObject {
  const known = parsed.get(pem) ?? parseKey(pem);
  parsed.set(pem, known);
  return known;
}

export { default } from "real:node:crypto";
