import { BlockList, isIP } from "node:net";

/** Whose forwarded addresses are believed: nobody's, everybody's, so many proxies, or those within CIDRs. */
export type TrustProxy = boolean | number | readonly string[];

/**
 * The visitor's address: the connection's own, or the rightmost entry of `X-Forwarded-For` that no trusted proxy wrote.
 * Whatever a client puts in front of that entry is never looked at.
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
  const proxies = new BlockList();
  for (const cidr of trust) {
    const [address = "", bits = ""] = cidr.split("/");
    proxies.addSubnet(address, Number(bits), isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  let found = own;
  for (const hop of hops.reverse()) {
    // An entry that is no address was written by nobody we trust, so what stands before it is worth nothing either.
    if (hop === null) return found;
    found = hop;
    if (!proxies.check(hop, isIP(hop) === 6 ? "ipv6" : "ipv4")) return hop;
  }
  return found;
}

/** An address without brackets, port or the IPv4-mapped prefix; null when it is none. */
function plainIp(text: string): string | null {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
  return isIP(mapped) ? mapped.toLowerCase() : null;
}
