import type { ClientRequest } from "node:http";
import { isIP, type Socket } from "node:net";
import { type AddressPolicy, BlockedAddressError } from "../../lib/net-guard.ts";
import { answered, broken, endless, late, type Outcome } from "./outcome.ts";
import type { Stoppable, UnderWay } from "./under-way.ts";

const MAX_BODY_BYTES = 16_384;
/** Of an answer as it comes over the wire: the limits of headers and body count no interim answers, blank lines and sizes of chunks. */
const MAX_WIRE_BYTES = 131_072;
const NOTHING = new Uint8Array();

/** One request and its limits; times on the clock of `performance.now()`. */
export interface Exchange {
  url: URL;
  open: () => ClientRequest;
  body: string | Uint8Array;
  /** True if the body of a 2xx is read, too. */
  readsSuccess: boolean;
  policy: AddressPolicy;
  timeoutMs: number;
  endsAt: number;
  connectTimeoutMs: number;
  underWay: UnderWay;
  signal: AbortSignal | undefined;
}

/** `stale`: a reused idle connection turned out to be closed before any response. */
export interface ExchangeResult {
  outcome: Outcome;
  stale: boolean;
}

/**
 * Sends one request. The first of these settles it: a 2xx status line, a whole response, a limit, an error, or the end of the
 * connection.
 */
export function exchange({
  url,
  open,
  body,
  readsSuccess,
  policy,
  timeoutMs,
  endsAt,
  connectTimeoutMs,
  underWay,
  signal,
}: Exchange): Promise<ExchangeResult> {
  return new Promise((resolve) => {
    const progress = { host: url.hostname, handshaking: false };
    let answer: (() => Outcome) | undefined;
    let connectTimer: NodeJS.Timeout | undefined;

    let settled = false;
    const settle = (outcome: Outcome, stale = false): void => {
      // Every request ends several times: with its response, the response's end and the connection's.
      if (settled) return;
      settled = true;
      resolve({ outcome: answer?.() ?? outcome, stale });
    };
    const stop = (outcome: Outcome): void => {
      settle(outcome);
      request.destroy();
    };
    const self: Stoppable = { signal, endsAt, stop, late: () => late(progress.host, timeoutMs, "answer") };
    const watchConnecting = (socket: Socket): void => {
      const limit = (): void => {
        connectTimer ??= setTimeout(() => stop(late(progress.host, connectTimeoutMs, "connection")), connectTimeoutMs);
      };
      // DNS has limits of its own, and a literal address needs none.
      if (isIP(url.hostname.replace(/^\[|\]$/g, ""))) limit();
      else socket.once("lookup", limit);
      socket.once("connect", () => {
        // The final check of the address: whatever the name resolved to, the bytes would go here.
        if (!policy.allows(socket.remoteAddress ?? "")) socket.destroy(new BlockedAddressError());
        else if (url.protocol === "https:") progress.handshaking = true;
        else clearTimeout(connectTimer);
      });
      socket.once("secureConnect", () => {
        progress.handshaking = false;
        clearTimeout(connectTimer);
      });
    };

    const request = open();
    underWay.began(self);

    request.on("socket", (socket) => {
      if (socket.connecting) watchConnecting(socket);
      let bytes = 0;
      const count = (chunk: Buffer): void => {
        bytes += chunk.length;
        if (bytes > MAX_WIRE_BYTES) stop(endless(progress.host));
      };
      socket.on("data", count);
      request.once("close", () => socket.off("data", count));
    });
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const known = answered(response, NOTHING);
      // The status line is the receiver's word; after a 2xx most bodies are read only to free the connection.
      const kept = !known.ok || readsSuccess;
      answer = kept ? () => answered(response, Buffer.concat(chunks)) : () => known;
      const settleKnown = (): void => settle(known);
      if (kept) for (const end of ["end", "close", "error"]) response.on(end, settleKnown);
      else {
        response.on("error", settleKnown);
        settleKnown();
      }
      response.on("data", (chunk: Buffer) => {
        if (kept && size < MAX_BODY_BYTES) chunks.push(chunk.subarray(0, MAX_BODY_BYTES - size));
        size += chunk.length;
        if (size > MAX_BODY_BYTES) stop(known);
      });
    });
    request.on("upgrade", (response, socket) => {
      settle(answered(response, NOTHING));
      socket.destroy();
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      const cut = error.code === "ECONNRESET" || error.code === "EPIPE";
      settle(broken(error, progress), cut && request.reusedSocket && answer === undefined);
    });
    request.on("close", () => {
      // Some ends, such as an unrequested upgrade, are neither a response nor an error.
      if (!settled) settle(broken({ code: "ECONNRESET" }, progress));
      if (connectTimer) clearTimeout(connectTimer);
      underWay.over(self);
    });
    request.end(body);
  });
}
