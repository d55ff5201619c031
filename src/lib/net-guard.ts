import { Resolver } from "node:dns/promises";
import { type BlockList, isIP, type LookupFunction } from "node:net";
import { setImmediate } from "node:timers/promises";
import { domainToUnicode } from "node:url";
import { canParseUrl } from "./can-parse-url.ts";
import { cidrList } from "./cidr.ts";

// IANA special-purpose registries: everything that isn't a globally reachable unicast address.
const DENIED_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  // Azure's own, on every machine there: a public address by the registry, and a door to the machine's secrets.
  "168.63.129.16/32",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
// An allow rule, because the ranges that embed or translate IPv4 (::/96, 64:ff9b::/96, …) keep growing in number.
const ALLOWED_IPV6 = ["2000::/3"];
const DENIED_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];
const MAPPED = ["::ffff:0:0/96"];

const LOCALHOST = /(?:^|\.)localhost$/;
const LOOPBACK = ["127.0.0.1", "::1"];

/** The rule for the addresses that requests may connect to. */
export interface AddressPolicy {
  /** True if an IPv4 or IPv6 address may be contacted; false for anything that is not an address. */
  allows(ip: string): boolean;
}

/**
 * The address policy: only public unicast addresses and the ranges in `allowCidrs`. IPv4-mapped addresses count as IPv4. Throws
 * if an entry of `allowCidrs` is neither an address nor a range.
 *
 * @example addressPolicy({ allowCidrs: ["10.1.2.0/24"] }).allows("10.1.2.3") // true
 */
export function addressPolicy({ allowCidrs = [] }: { allowCidrs?: readonly string[] } = {}): AddressPolicy {
  // One list per family: BlockList applies an IPv6 rule such as ::/0 to IPv4 addresses too.
  const excepted4 = blockList(allowCidrs.filter((cidr) => !cidr.includes(":")));
  const excepted6 = blockList(allowCidrs.filter((cidr) => cidr.includes(":")));
  let known: ReturnType<typeof publicRanges> | undefined;
  return {
    allows(ip) {
      known ??= publicRanges();
      const { mapped, denied4, allowed6, denied6 } = known;
      // A zone index (fe80::1%eth0) names a link of this machine, which no public address has.
      const family = ip.includes("%") ? 0 : isIP(ip);
      if (family === 0) return false;
      const type = family === 4 ? "ipv4" : "ipv6";
      // BlockList compares mapped addresses with IPv4 rules by itself.
      if (family === 4 || mapped.check(ip, "ipv6")) return excepted4.check(ip, type) || !denied4.check(ip, type);
      return excepted6.check(ip, type) || (allowed6.check(ip, type) && !denied6.check(ip, type));
    },
  };
}

/** Made at the first question: the first IPv6 address of a process takes it 10 ms, which a start should not wait for. */
const publicRanges = () => ({
  mapped: blockList(MAPPED),
  denied4: blockList(DENIED_IPV4),
  allowed6: blockList(ALLOWED_IPV6),
  denied6: blockList(DENIED_IPV6),
});

function blockList(cidrs: readonly string[]): BlockList {
  return cidrList(cidrs, notARange);
}

function notARange(text: string): Error {
  return new Error(
    `[form-backend] allowCidrs: "${text}" is not an address range; write it like 10.0.0.0/8 or fd00::/8.`,
  );
}

/** Result of `checkUrl`: the parsed URL, or a sentence about the fault (`blocked`: the address policy refused it). */
export type UrlCheck = { ok: true; url: URL } | { ok: false; reason: string; blocked: boolean };

/**
 * Checks a URL before it is stored or called: scheme, credentials, fragment, length, port and, where it names one, the address.
 * A host name can change its addresses at any time, so `guardedLookup` checks them again at each connection.
 */
export function checkUrl(
  input: string,
  { allowHttp, policy, maxLength = 2_048 }: { allowHttp: boolean; policy: AddressPolicy; maxLength?: number },
): UrlCheck {
  const refuse = (reason: string, blocked = false): UrlCheck => ({ ok: false, reason, blocked });
  if (input.length > maxLength) return refuse(`The URL is longer than ${maxLength} characters.`);
  if (/\p{Cc}/u.test(input)) return refuse("The URL contains a control character.");
  if (!canParseUrl(input)) return refuse("It is not an absolute URL; write it with https:// and a host.");
  const url = new URL(input);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return refuse(`The URL must begin with https://${allowHttp ? " or http://" : ""}.`);
  if (url.protocol === "http:" && !allowHttp)
    return refuse("The URL must begin with https://; plain http takes the option `webhooks.allowHttp`.");
  if (url.username || url.password) return refuse("The URL must not contain a user name or password.");
  if (input.includes("#")) return refuse("The URL must not contain a fragment (#).");
  const port = Number(url.port || 443);
  if (port !== 80 && port !== 443 && port < 1_024) return refuse("The URL's port must be 80, 443, or 1024 and above.");

  // The parser has already turned 2130706433, 0x7f.1 and the like into dotted form.
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  if (host === "") return refuse("The URL has no host.");
  // Up to Node 22 such a URL does not parse, from 24 on it does.
  if (/(?:^|\.)xn--/.test(host) && /^$|(?:^|\.)xn--/.test(domainToUnicode(host)))
    return refuse("The URL's host is not a valid international name.");
  const addresses = isIP(host) ? [host] : LOCALHOST.test(host) ? LOOPBACK : null;
  if (addresses && !addresses.some(policy.allows))
    return refuse(
      "The URL points to a private or reserved address; those of a network of your own take the option `webhooks.allowCidrs`.",
      true,
    );
  return { ok: true, url };
}

/** A connection refused by the address policy. Its text names no address, because whoever configured the URL may read it. */
export class BlockedAddressError extends Error {
  readonly code = "EBLOCKED";
  constructor() {
    super("The host's address is private or reserved.");
    this.name = "BlockedAddressError";
  }
}

/** A host name that gave no address; `code` is the DNS error, such as `ENOTFOUND`. */
export class LookupError extends Error {
  readonly code: string;
  constructor(code: string, options?: ErrorOptions) {
    super(`The host name could not be resolved (${code}).`, options);
    this.name = "LookupError";
    this.code = code;
  }
}

/** The part of `dns.promises.Resolver` that the guard uses. */
export interface AddressResolver {
  resolve4(hostname: string): Promise<string[]>;
  resolve6(hostname: string): Promise<string[]>;
}

/**
 * A `lookup` for node:http and node:net that returns addresses only if the policy allows all of them. Node does not call it for
 * IP literals, so run `checkUrl` on the URL first. It sends at most two DNS queries, with 2 s for each.
 */
export function guardedLookup(policy: AddressPolicy, resolver: AddressResolver = dnsResolver()): LookupFunction {
  const resolve = async (hostname: string) =>
    (await allowedAddresses(hostname, policy, resolver)).map((address) => ({ address, family: isIP(address) }));
  return (hostname, options, callback) => {
    resolve(hostname)
      // Later, as after a real DNS query: a request gets its socket in this turn and would miss earlier events.
      .finally(() => setImmediate())
      .then(
        (found) => {
          if (options.all) callback(null, found);
          else callback(null, found[0]!.address, found[0]!.family);
        },
        (error: Error) => callback(error, []),
      );
  };
}

/** The addresses of a host name. Throws `BlockedAddressError` unless the policy allows all of them, and `LookupError` without any. */
export async function allowedAddresses(
  hostname: string,
  policy: AddressPolicy,
  resolver: AddressResolver,
): Promise<string[]> {
  const local = LOCALHOST.test(hostname.replace(/\.$/, ""));
  const found = local ? LOOPBACK.filter(policy.allows) : await addressesOf(hostname, resolver);
  // One bad address refuses the whole name: a name with public and private addresses is an attack or a mistake.
  if (found.length === 0 || !found.every(policy.allows)) throw new BlockedAddressError();
  return found;
}

/** The machine's DNS servers, without the four libuv threads of `dns.lookup`, which a few slow names would use up for the whole process. */
export function dnsResolver(): Resolver {
  return new Resolver({ timeout: 2_000, tries: 2 });
}

async function addressesOf(hostname: string, resolver: AddressResolver): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (found.length > 0) return found;
  const errors = answers.flatMap((answer) =>
    answer.status === "rejected" ? [answer.reason as NodeJS.ErrnoException] : [],
  );
  // ENODATA only says that one record type is missing; the error of the other query says more.
  const telling = errors.find(({ code }) => code !== undefined && code !== "ENODATA");
  throw new LookupError(telling?.code ?? "ENOTFOUND", { cause: telling ?? errors[0] });
}
