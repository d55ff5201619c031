import { setMaxListeners } from "node:events";
import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type AddressPolicy, type AddressResolver, checkUrl, dnsResolver, guardedLookup } from "../lib/net-guard.ts";
import { exchange } from "./exchange.ts";
import { blocked, failed, type Outcome, stopped } from "./outcome.ts";

const MAX_HEADER_BYTES = 16_384;
const IDLE_MS = 4_000;
const SOCKETS_PER_HOST = 8;
// Node gives each address of a host 250 ms, too little for a far receiver; the connect limit is over all of them.
const ADDRESS_MS = 1_000;

/** How one attempt ended and how long it took, in ms. */
export interface Attempt extends Outcome {
  duration_ms: number;
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
  /** Certificate authorities in PEM to trust instead of Node's. */
  ca?: string | string[];
}

export interface WebhookClient {
  /** Sends one POST and answers how it ended, within `timeoutMs`; never rejects. Aborting `signal` ends it as `ERROR_WEBHOOK_INTERNAL`. */
  post(
    url: string,
    request: { headers?: Record<string, string>; body: string | Uint8Array },
    signal?: AbortSignal,
  ): Promise<Attempt>;
  /** Ends what is under way and closes idle connections; later posts end as `ERROR_WEBHOOK_INTERNAL`. */
  close(): void;
}

/**
 * The HTTP client for addresses that strangers choose: it follows no redirect, unpacks nothing, reads little, ends in time and
 * connects to nothing that `policy` denies.
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
  const kept = {
    ...connection,
    keepAlive: true,
    timeout: IDLE_MS,
    maxSockets: SOCKETS_PER_HOST,
    maxFreeSockets: SOCKETS_PER_HOST,
  };
  const pool = { http: new HttpAgent(kept), https: new HttpsAgent(kept) };
  const closing = new AbortController();

  const deliver = async (
    address: string,
    headers: Record<string, string>,
    body: Uint8Array,
    signal?: AbortSignal,
  ): Promise<Outcome> => {
    const signals = signal ? [closing.signal, signal] : [closing.signal];
    if (signals.some(({ aborted }) => aborted)) return stopped();
    // Every request under way listens to the same signals; that isn't the leak Node would warn of.
    setMaxListeners(0, ...signals);
    // Node asks no `lookup` for a literal address, so this check is the only one before it connects.
    const checked = checkUrl(address, { allowHttp, policy });
    if (!checked.ok)
      return checked.blocked ? blocked() : failed("ERROR_WEBHOOK_INVALID_URL", "ERR_INVALID_URL", checked.reason);
    const { url } = checked;
    const options: RequestOptions = {
      method: "POST",
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
      headers: {
        "Content-Type": "application/json",
        "User-Agent": userAgent,
        ...headers,
        "Accept-Encoding": "identity",
        "Content-Length": body.byteLength,
      },
    };
    const limits = { url, body, policy, timeoutMs, endsAt: performance.now() + timeoutMs, connectTimeoutMs, signals };
    const send = (agents: { http: HttpAgent; https: HttpsAgent }) => () =>
      url.protocol === "http:"
        ? httpRequest(url, { ...options, agent: agents.http })
        : httpsRequest(url, { ...options, agent: agents.https });

    const first = await exchange({ ...limits, open: send(pool) });
    if (!first.stale) return first.outcome;
    // The receiver had hung up on an idle connection, which says nothing of the receiver. Another idle one may be as dead.
    const fresh = { http: new HttpAgent(connection), https: new HttpsAgent(connection) };
    return (await exchange({ ...limits, open: send(fresh) })).outcome;
  };

  return {
    async post(url, { headers = {}, body }, signal) {
      const startedAt = performance.now();
      const bytes = typeof body === "string" ? Buffer.from(body) : body;
      const outcome = await deliver(url, headers, bytes, signal).catch((error: NodeJS.ErrnoException) =>
        failed("ERROR_WEBHOOK_INTERNAL", error.code ?? "ERR_INTERNAL", "The request could not be built."),
      );
      return { ...outcome, duration_ms: Math.round(performance.now() - startedAt) };
    },
    close() {
      closing.abort();
      pool.http.destroy();
      pool.https.destroy();
      ownResolver?.cancel();
    },
  };
}
