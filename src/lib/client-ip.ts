import { type BlockList, isIP } from "node:net";
import { cidrList } from "./cidr.ts";

/** The proxies to trust: none, all, a number of them, or those within CIDRs. */
export type TrustProxy = boolean | number | readonly string[];

/**
 * The visitor's address: that of the connection, or the rightmost entry of `X-Forwarded-For` that no trusted proxy wrote.
 * Entries to the left of it come from the client and are ignored.
 */
export function clientIp(
  connection: string | null | undefined,
  forwarded: string | null,
  trust: TrustProxy,
): string | null {
  const own = plainIp(connection ?? "");
  if (trust === false || forwarded === null) return own;
  const hops = [...forwarded.split(",").map((entry) => plainIp(entry.trim())), own];
  if (trust === true) return hops[0] ?? own;
  if (typeof trust === "number") return hops[Math.max(0, hops.length - 1 - trust)] ?? own;
  const proxies = proxiesIn(trust);
  let found = own;
  for (const hop of hops.reverse()) {
    // No trusted proxy writes an entry that is not an address, so the entries to its left are worthless too.
    if (hop === null) return found;
    found = hop;
    if (!proxies.check(hop, isIP(hop) === 6 ? "ipv6" : "ipv4")) return hop;
  }
  return found;
}

const parsed = new WeakMap<readonly string[], BlockList>();

/** Parses the CIDRs of the option once: every request asks several times. */
function proxiesIn(cidrs: readonly string[]): BlockList {
  const known = parsed.get(cidrs);
  if (known) return known;
  const list = cidrList(
    cidrs,
    (text) => new TypeError(`[form-backend] option \`trustProxy\`: "${text}" is not a CIDR`),
  );
  parsed.set(cidrs, list);
  return list;
}

/** An address without brackets, port or the IPv4-mapped prefix; null when it is none. */
function plainIp(text: string): string | null {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
  return isIP(mapped) ? mapped.toLowerCase() : null;
}
