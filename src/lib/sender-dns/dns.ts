import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";

const TIMEOUT_MS = 4_000;
/** Longer texts of strangers' zones are cut before they are read. */
const MAX_TEXT = 4_096;
const MAX_TEXTS = 50;

/** Questions to the domain name system. An absent name has no records; a server that does not respond throws. */
export interface Dns {
  /** TXT records, each as one text. */
  texts(name: string): Promise<string[]>;
  /** IPv4 and IPv6 addresses. */
  addresses(name: string): Promise<string[]>;
}

/**
 * Asks the name servers of this machine, or the given one, such as `1.1.1.1` or `127.0.0.1:5353`. Throws a `TypeError` for one
 * that is no address.
 */
export function dnsOf(server: string | undefined): Dns {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  if (server !== undefined) {
    try {
      resolver.setServers([server]);
    } catch (cause) {
      throw new TypeError(`"${server.slice(0, 100)}" is not the IP address of a name server, such as 1.1.1.1`, {
        cause,
      });
    }
  }
  const none = (error: NodeJS.ErrnoException): never[] => {
    if (error.code === "ENODATA" || error.code === "ENOTFOUND") return [];
    throw error;
  };
  return {
    async texts(name) {
      // A long record comes in parts of 255 bytes that belong together.
      const records = await resolver.resolveTxt(name).catch(none);
      return records.slice(0, MAX_TEXTS).map((parts) => parts.join("").slice(0, MAX_TEXT));
    },
    async addresses(name) {
      if (isIP(name) !== 0) return [name];
      const found = await Promise.all([resolver.resolve4(name).catch(none), resolver.resolve6(name).catch(none)]);
      return found.flat();
    },
  };
}
