import { randomBytes, randomInt } from "node:crypto";

/** The digits of base 62, in the order of their values. */
export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `length` characters of 0-9A-Za-z, each equally likely (bytes above the last multiple of 62 are thrown away). */
export function base62(length: number): string {
  let out = "";
  while (out.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && out.length < length) out += BASE62[byte % 62];
    }
  }
  return out;
}

/** An 11-character form id, about 65 bits. */
export const formId = (): string => base62(11);

/** An id with a prefix and 24 random hex characters, such as `whk_…`. */
export const prefixedId = (
  prefix: "whk" | "key" | "team" | "srv" | "img" | "req" | "msg" | "file" | "dk" | "act" | "rpl" | "view",
): string => `${prefix}_${randomHex(24)}`;

/**
 * Makes 24-hex ids in creation order: 48 bits of milliseconds, a 16-bit counter, 32 random bits. If the clock stops or goes
 * back, the last millisecond is used on; a full counter borrows the next one.
 */
export function sortableIds(): (now: number) => string {
  let lastMs = 0;
  let counter = 0;
  let start = "";
  const at = (ms: number, first: number): void => {
    lastMs = ms;
    counter = first;
    start = ms.toString(16).padStart(12, "0");
  };
  return (now) => {
    if (now > lastMs) at(now, randomInt(0x8000));
    else if (++counter > 0xffff) at(lastMs + 1, 0);
    return start + counter.toString(16).padStart(4, "0") + randomHex(8);
  };
}

const deliveries = sortableIds();

/** The id of a delivery, `msg_…`. Ids grow with time, so new rows are added at the end of a store's index. */
export const deliveryId = (now: number): string => `msg_${deliveries(now)}`;

// Small random reads are slow one at a time; a pool of random bytes is read in one go and never used twice.
let pool = Buffer.alloc(0);
let used = 0;
function randomHex(length: number): string {
  const bytes = length / 2;
  if (used + bytes > pool.length) {
    pool = randomBytes(4096);
    used = 0;
  }
  used += bytes;
  return pool.toString("hex", used - bytes, used);
}
