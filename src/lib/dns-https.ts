import type { AddressResolver } from "./net-guard.ts";

/** The numbers of record types. */
const TYPES = { A: 1, AAAA: 28 } as const;
const TIMEOUT_MS = 4_000;
/** The number of a name that does not exist. */
const NXDOMAIN = 3;

interface DnsAnswer {
  readonly Status?: number;
  readonly Answer?: readonly { readonly type: number; readonly data: string }[];
}

/**
 * Resolves names by DNS over HTTPS in its JSON form (`application/dns-json`), where a runtime has no DNS of its own. Its errors have
 * the codes of Node's resolver.
 */
export function httpsResolver(dnsUrl: string, send: typeof fetch = fetch): AddressResolver {
  const resolve = async (name: string, type: keyof typeof TYPES): Promise<string[]> => {
    const url = new URL(dnsUrl);
    url.searchParams.set("name", name);
    url.searchParams.set("type", type);
    const answer = await ask(url);
    if (answer.Status !== 0) throw refused(answer.Status === NXDOMAIN ? "ENOTFOUND" : "ESERVFAIL");
    // Aliases on the way are answers too.
    const found = (answer.Answer ?? []).filter((one) => one.type === TYPES[type]).map(({ data }) => data);
    if (found.length === 0) throw refused("ENODATA");
    return found;
  };

  async function ask(url: URL): Promise<DnsAnswer> {
    try {
      const response = await send(url, {
        headers: { accept: "application/dns-json" },
        redirect: "error",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (response.ok) return (await response.json()) as DnsAnswer;
      await response.body?.cancel();
    } catch (cause) {
      throw refused("ETIMEOUT", cause);
    }
    throw refused("ESERVFAIL");
  }

  return { resolve4: (name) => resolve(name, "A"), resolve6: (name) => resolve(name, "AAAA") };
}

const refused = (code: string, cause?: unknown): Error =>
  Object.assign(new Error(`DNS over HTTPS: ${code}`, { cause }), { code });
