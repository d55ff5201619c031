import { isIP } from "node:net";
import { ApiError } from "../../errors.ts";
import { clientIp } from "../../lib/client-ip.ts";
import type { Caller } from "../../model/keys.ts";
import type { Exchange } from "./route.ts";

/**
 * Counts a request of the management API for its credential; the response shows the remaining rate. Waits while the caller's
 * team has more than its share of the time. Throws `rate_limited`.
 */
export async function limitCaller({ core, extra, share }: Exchange, { auth, id, team_ids }: Caller): Promise<void> {
  Object.assign(extra, await core.limits.take("management", `${auth}:${id}`));
  await share.take(team_ids?.[0] ?? id);
}

/**
 * Checks a credential with `lookUp`, unless its address has failed too often recently. Counts the address if the check fails.
 * Throws `rate_limited` and the errors of `lookUp`.
 */
export async function limitFailures<T>(exchange: Exchange, lookUp: () => Promise<T>): Promise<T> {
  const { limits } = exchange.core;
  const address = addressKey(addressOf(exchange));
  if (address === null) return lookUp();
  await limits.assertLeft("failedAuth", address);
  try {
    return await lookUp();
  } catch (error) {
    // Even the last allowed failure gets a 401: the check of the credential is already done.
    if (error instanceof ApiError && error.status === 401) await limits.take("failedAuth", address).catch(() => {});
    throw error;
  }
}

/** Counts a post to a form's public endpoint; `isPaid`: its address has been counted already. Throws `rate_limited`. */
export async function limitPost(
  exchange: Exchange,
  formId: string,
  { isPaid }: { readonly isPaid: boolean },
): Promise<void> {
  const { limits } = exchange.core;
  const address = addressKey(addressOf(exchange));
  if (address !== null) {
    await limits.take("perFormAndIp", `${formId}:${address}`);
    if (!isPaid) await limits.take("perIp", address);
  }
  await limits.take("perForm", formId);
}

/** Counts a request that needs no credential and no form for its address. Throws `rate_limited`. */
export async function limitAddress(exchange: Exchange): Promise<void> {
  const address = addressKey(addressOf(exchange));
  if (address !== null) await exchange.core.limits.take("perIp", address);
}

/** Throws `rate_limited` for an address that has no request left; counts nothing. */
export async function assertAddressLeft(exchange: Exchange): Promise<void> {
  const address = addressKey(addressOf(exchange));
  if (address !== null) await exchange.core.limits.assertLeft("perIp", address);
}

/** The client's address; null where the host does not say. */
export function addressOf({ core, request, info }: Exchange): string | null {
  return clientIp(info.ip, request.headers.get("x-forwarded-for"), core.options.trustProxy);
}

/**
 * The key that an address is counted by: IPv4 as a whole, IPv6 by its /64, the network of one subscriber. Null stays null:
 * callers without an address must not share one count, or one of them could lock out the others.
 */
export const addressKey = (ip: string | null): string | null => (ip === null || isIP(ip) !== 6 ? ip : networkOf(ip, 4));

/** The /48 of an IPv6 address, the largest network that one customer usually gets; null for every other address. */
export const networkKey = (ip: string | null): string | null =>
  ip === null || isIP(ip) !== 6 ? null : networkOf(ip, 3);

/** The network of an IPv6 address, by its first groups of 16 bits. */
function networkOf(ip: string, groupCount: number): string {
  const [head = "", tail] = ip.split("%", 1)[0]?.split("::") ?? [];
  const groups = (part: string | undefined): string[] => (part ? part.split(":") : []);
  const before = groups(head);
  const after = groups(tail);
  // An embedded IPv4 address counts as two groups.
  const width = before.length + after.length + ([...before, ...after].at(-1)?.includes(".") ? 1 : 0);
  const all = tail === undefined ? before : [...before, ...Array<string>(Math.max(0, 8 - width)).fill("0"), ...after];
  const network = all.slice(0, groupCount).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/${groupCount * 16}`;
}
