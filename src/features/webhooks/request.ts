import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Attempt, Outcome, WebhookClient, WebhookRequest } from "../../core/webhook-client.ts";
import { createLru } from "../../lib/lru.ts";
import {
  type AddressPolicy,
  type AddressResolver,
  checkUrl,
  dnsResolver,
  guardedLookup,
  type UrlCheck,
} from "../../lib/net-guard.ts";
import { exchange } from "./exchange.ts";
import { blocked, failed, stopped } from "./outcome.ts";
import { createSockets } from "./sockets.ts";
import { createUnderWay } from "./under-way.ts";

export type { Attempt, WebhookClient };

const MAX_HEADER_BYTES = 16_384;
const IDLE_MS = 4_000;
/** The limits of a lane are below it. More attempts than sockets would wait here unseen, and the wait would count as the receiver's. */
const SOCKETS_PER_HOST = 64;
const KEPT_URLS = 1_000;
// Node gives each address of a host 250 ms, too little for a far receiver; the connect limit is over all of them.
const ADDRESS_MS = 1_000;

/** A URL as it was checked, and how to reach it. */
interface Target {
  readonly checked: UrlCheck;
  readonly connect?: Pick<RequestOptions, "protocol" | "hostname" | "port" | "path">;
}

export interface WebhookClientOptions {
  policy: AddressPolicy;
  allowHttp: boolean;
  /** Limit for a whole attempt, from DNS to the last byte read, in ms; default 15,000. */
  timeoutMs?: number;
  /** Limit for TCP and TLS together, in ms; default 5,000. */
  connectTimeoutMs?: number;
  /** Default `FormBackend-Webhooks/1`. */
  userAgent?: string;
  /** Default the machine's DNS servers. */
  resolver?: AddressResolver;
  /** DNS over HTTPS, for the transports that can't resolve names otherwise. */
  dnsUrl?: string;
  /** Certificate authorities in PEM to trust instead of Node's. */
  ca?: string | string[];
}

/**
 * The HTTP client for addresses that strangers choose: it follows no redirect, unpacks nothing, reads little, has time limits
 * and connects to no address that `policy` denies.
 */
export function createWebhookClient({
  policy,
  allowHttp,
  timeoutMs = 15_000,
  connectTimeoutMs = 5_000,
  userAgent = "FormBackend-Webhooks/1",
  resolver,
  ca,
}: WebhookClientOptions): WebhookClient {
  const ownResolver = resolver ? undefined : dnsResolver();
  const connection = {
    lookup: guardedLookup(policy, resolver ?? ownResolver),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_MS,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the host's environment doesn't reach webhooks.
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
  };
  const pool = createSockets({ connection, perHost: SOCKETS_PER_HOST, idleMs: IDLE_MS });
  const underWay = createUnderWay();
  let closed = false;
  // Each webhook is called again and again. The check depends on nothing but the URL and these options.
  const targets = createLru<Target>(KEPT_URLS);
  const targetOf = (address: string): Target => {
    const known = targets.get(address);
    if (known) return known;
    const checked = checkUrl(address, { allowHttp, policy });
    const target: Target = checked.ok ? { checked, connect: connectTo(checked.url) } : { checked };
    targets.set(address, target);
    return target;
  };

  const deliver = async (
    address: string,
    { method = "POST", headers = {}, body, readsSuccess = false }: WebhookRequest,
    signal?: AbortSignal,
  ): Promise<Outcome> => {
    if (closed || signal?.aborted) return stopped();
    // Node asks no `lookup` for a literal address, so this check is the only one before it connects.
    const { checked, connect } = targetOf(address);
    if (!checked.ok)
      return checked.blocked ? blocked() : failed("ERROR_WEBHOOK_INVALID_URL", "ERR_INVALID_URL", checked.reason);
    const { url } = checked;
    const list = headerList(url, headers, userAgent, body);
    const endsAt = performance.now() + timeoutMs;
    const send = (agents: { http: HttpAgent; https: HttpsAgent }) => {
      const isPlain = url.protocol === "http:";
      const options: RequestOptions = {
        ...connect,
        method,
        maxHeaderSize: MAX_HEADER_BYTES,
        insecureHTTPParser: false,
        headers: list,
        agent: isPlain ? agents.http : agents.https,
      };
      const open = () => (isPlain ? httpRequest(options) : httpsRequest(options));
      return exchange({ url, open, body, readsSuccess, policy, timeoutMs, endsAt, connectTimeoutMs, underWay, signal });
    };

    const first = await send(pool);
    if (!first.stale) return first.outcome;
    // The receiver had hung up on an idle connection, which says nothing of the receiver. Another idle one may be as dead.
    const fresh = { http: new HttpAgent(connection), https: new HttpsAgent(connection) };
    return (await send(fresh)).outcome;
  };

  return {
    async post(url, request, signal) {
      const startedAt = performance.now();
      const outcome = await deliver(url, request, signal).catch((error: NodeJS.ErrnoException) =>
        failed("ERROR_WEBHOOK_INTERNAL", error.code ?? "ERR_INTERNAL", "The request could not be built."),
      );
      return { ...outcome, duration_ms: Math.round(performance.now() - startedAt) };
    },
    close() {
      closed = true;
      underWay.stopAll();
      pool.close();
      ownResolver?.cancel();
    },
  };
}

const connectTo = ({ protocol, hostname, port, pathname, search }: URL): NonNullable<Target["connect"]> => ({
  protocol,
  hostname: hostname.replace(/^\[|\]$/g, ""),
  ...(port !== "" && { port }),
  path: pathname + search,
});

/** Headers that depend on the connection and the bytes alone. */
const OWN = new Set(["host", "accept-encoding", "content-length"]);

/** Names and values in turn, which Node writes as they are: as an object it would keep and look up each of them first. */
function headerList(
  { host }: URL,
  headers: Record<string, string>,
  userAgent: string,
  body: string | Uint8Array,
): string[] {
  const list = ["Host", host, "Accept-Encoding", "identity", "Content-Length", String(Buffer.byteLength(body))];
  const seen = new Set<string>();
  for (const name in headers) {
    const lower = name.toLowerCase();
    if (OWN.has(lower) || seen.has(lower)) continue;
    seen.add(lower);
    list.push(name, headers[name] as string);
  }
  if (!seen.has("content-type")) list.push("Content-Type", "application/json");
  if (!seen.has("user-agent")) list.push("User-Agent", userAgent);
  return list;
}
