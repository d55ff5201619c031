import { setMaxListeners } from "node:events";
import { isIP } from "node:net";
import type { Outcome, WebhookClient, WebhookRequest } from "../../core/webhook-client.ts";
import { deadline } from "../../lib/deadline.ts";
import { httpsResolver } from "../../lib/dns-https.ts";
import {
  type AddressResolver,
  allowedAddresses,
  BlockedAddressError,
  checkUrl,
  LookupError,
} from "../../lib/net-guard.ts";
import { answered, blocked, broken, failed, late, stopped } from "./outcome.ts";
import type { WebhookClientOptions } from "./request.ts";

const MAX_BODY_BYTES = 16_384;
/** Headers that depend on the connection alone. */
const OWN = new Set(["host", "accept-encoding", "content-length"]);
const DNS_URL = "https://cloudflare-dns.com/dns-query";

/**
 * The client for runtimes whose only way out is `fetch`, as Cloudflare Workers are. Like that of Node it follows no redirect, reads
 * little and has a time limit. It asks DNS over HTTPS for the addresses of a host and refuses those that `policy` denies; but
 * `fetch` resolves the name once more, so a server of names that gives another answer each time is not stopped.
 */
export function createFetchClient({
  policy,
  allowHttp,
  timeoutMs = 15_000,
  userAgent = "FormBackend-Webhooks/1",
  dnsUrl = DNS_URL,
  resolver = httpsResolver(dnsUrl),
}: WebhookClientOptions): WebhookClient {
  const closing = new AbortController();
  // Every request under way listens to it; that many listeners are no leak.
  setMaxListeners(0, closing.signal);

  async function deliver(address: string, request: WebhookRequest, signal: AbortSignal | undefined): Promise<Outcome> {
    const { method = "POST", headers = {}, body, readsSuccess = false } = request;
    const isStopped = (): boolean => closing.signal.aborted || signal?.aborted === true;
    if (isStopped()) return stopped();
    const checked = checkUrl(address, { allowHttp, policy });
    if (!checked.ok)
      return checked.blocked ? blocked() : failed("ERROR_WEBHOOK_INVALID_URL", "ERR_INVALID_URL", checked.reason);
    const { url } = checked;
    const limit = deadline(timeoutMs, closing.signal, signal);
    try {
      const host = url.hostname.replace(/^\[|\]$/g, "");
      if (isIP(host) === 0) await allowedAddresses(host, policy, oneByOne(resolver));
      const response = await fetch(url, {
        method,
        redirect: "manual",
        headers: { "content-type": "application/json", "user-agent": userAgent, ...sendable(headers) },
        body: body as string | Uint8Array<ArrayBuffer>,
        signal: limit.signal,
      });
      const text = response.ok && !readsSuccess ? await dropped(response) : await start(response);
      const head = { statusCode: response.status, statusMessage: response.statusText };
      return answered({ ...head, headers: Object.fromEntries(response.headers) }, text);
    } catch (error) {
      if (isStopped()) return stopped();
      if (limit.isLate()) return late(url.host, timeoutMs, "answer");
      if (error instanceof BlockedAddressError || error instanceof LookupError)
        return broken(error, { host: url.host, handshaking: false });
      // The runtime's own text names no cause that a receiver could act on.
      return failed("ERROR_WEBHOOK_CONNECTION", "ECONNRESET", `The connection to ${url.host} failed (ECONNRESET).`);
    } finally {
      limit.over();
    }
  }

  return {
    async post(url, request, signal) {
      const startedAt = performance.now();
      const outcome = await deliver(url, request, signal);
      return { ...outcome, duration_ms: Math.round(performance.now() - startedAt) };
    },
    close: () => closing.abort(),
  };
}

/** Asks one question after the other, since there are few connections. For one host. */
function oneByOne(resolver: AddressResolver): AddressResolver {
  let first: Promise<unknown> | undefined;
  return {
    resolve4(host) {
      const found = resolver.resolve4(host);
      first = found.catch(() => {});
      return found;
    },
    resolve6: async (host) => {
      await first;
      return resolver.resolve6(host);
    },
  };
}

/** Header names in lower case, since the first of two spellings wins, and none that only the connection may set. */
function sendable(headers: Record<string, string>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!OWN.has(lower)) kept[lower] ??= value;
  }
  return kept;
}

/** A body that nobody reads keeps its connection, of which there are few. */
async function dropped({ body }: Response): Promise<Uint8Array> {
  await body?.cancel().catch(() => {});
  return new Uint8Array();
}

async function start({ body }: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let left = MAX_BODY_BYTES;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    parts.push(part.subarray(0, left));
    left -= part.byteLength;
    if (left <= 0) break;
  }
  return Buffer.concat(parts);
}
