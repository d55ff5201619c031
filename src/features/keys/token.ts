import { createHash } from "node:crypto";
// Not imported by name: Node 18 lacks it, and would fail with a SyntaxError before our message about the Node version.
import zlib from "node:zlib";
import { BASE62, base62 } from "../../lib/id.ts";

const RANDOM = 32;
const CHECK = 6;

/** A new API key: prefix, 32 random base62 characters (190 bits), 6 base62 digits of CRC32 over all before. */
export function newKey(prefix: string): string {
  const body = prefix + base62(RANDOM);
  return body + checksum(body);
}

/** True if a text has a key's form and checksum, so that a typo costs no look-up. */
export function looksLikeKey(prefix: string, text: string): boolean {
  if (text.length !== prefix.length + RANDOM + CHECK || !text.startsWith(prefix)) return false;
  const body = text.slice(0, -CHECK);
  return /^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) && text.slice(-CHECK) === checksum(body);
}

/** The stored form of a key. 190 random bits need no slow hash. */
export const hashKey = (key: string): string => createHash("sha256").update(key).digest("hex");

function checksum(text: string): string {
  let rest = zlib.crc32(text);
  let out = "";
  for (let i = 0; i < CHECK; i++) {
    out = BASE62[rest % 62] + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}
