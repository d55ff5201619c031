import type { ClientRequest } from "node:http";
import { isIP, type Socket } from "node:net";
import { type AddressPolicy, BlockedAddressError } from "../lib/net-guard.ts";
import { answered, broken, late, type Outcome, stopped } from "./outcome.ts";

const MAX_BODY_BYTES = 16_384;

/** One request and its limits; times on the clock of `performance.now()`. */
export interface Exchange {
  url: URL;
  open: () => ClientRequest;
  body: Uint8Array;
  policy: AddressPolicy;
  timeoutMs: number;
  endsAt: number;
  connectTimeoutMs: number;
  signals: readonly AbortSignal[];
}

/** `stale`: an idle connection was reused and turned out to be cut before any answer. */
export interface ExchangeResult {
  outcome: Outcome;
  stale: boolean;
}

/** Sends one request. Settled by whatever comes first: a 2xx status line, a whole answer, a limit, an error, or the connection's end. */
export function exchange({
  url,
  open,
  body,
  policy,
  timeoutMs,
  endsAt,
  connectTimeoutMs,
  signals,
}: Exchange): Promise<ExchangeResult> {
  return new Promise((resolve) => {
    const progress = { host: url.hostname, handshaking: false };
    let answer: (() => Outcome) | undefined;
    let connectTimer: NodeJS.Timeout | undefined;

    const settle = (outcome: Outcome, stale = false): void => resolve({ outcome: answer?.() ?? outcome, stale });
    const stop = (outcome: Outcome): void => {
      settle(outcome);
      request.destroy();
    };
    const abort = (): void => stop(stopped());
    const watchConnecting = (socket: Socket): void => {
      const limit = (): void => {
        connectTimer ??= setTimeout(() => stop(late(progress.host, connectTimeoutMs, "connection")), connectTimeoutMs);
      };
      // DNS has limits of its own, and a literal address needs none.
      if (isIP(url.hostname.replace(/^\[|\]$/g, ""))) limit();
      else socket.once("lookup", limit);
      socket.once("connect", () => {
        // The last word on the address: whatever was resolved, this is where the bytes would go.
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
    // A process that stood still finds its limit past and the answer unread: what has come by then is read first.
    let lastTurn: NodeJS.Immediate | undefined;
    const deadline = setTimeout(
      () => {
        lastTurn = setImmediate(() => stop(late(progress.host, timeoutMs, "answer")));
      },
      Math.max(0, endsAt - performance.now()),
    );
    for (const signal of signals) signal.addEventListener("abort", abort, { once: true });

    request.on("socket", (socket) => {
      if (socket.connecting) watchConnecting(socket);
    });
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      answer = () => answered(response, Buffer.concat(chunks));
      const known = answer();
      // The status line is the receiver's word; after a 2xx the body is read only to free the connection.
      if (known.ok) settle(known);
      response.on("data", (chunk: Buffer) => {
        if (!known.ok && size < MAX_BODY_BYTES) chunks.push(chunk.subarray(0, MAX_BODY_BYTES - size));
        size += chunk.length;
        if (size > MAX_BODY_BYTES) stop(known);
      });
      response.on("end", () => settle(known));
      response.on("close", () => settle(known));
      response.on("error", () => settle(known));
    });
    request.on("upgrade", (response, socket) => {
      settle(answered(response, new Uint8Array()));
      socket.destroy();
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      const cut = error.code === "ECONNRESET" || error.code === "EPIPE";
      settle(broken(error, progress), cut && request.reusedSocket && answer === undefined);
    });
    request.on("close", () => {
      // Some ends, such as an upgrade nobody asked for, come as neither a response nor an error.
      settle(broken({ code: "ECONNRESET" }, progress));
      clearTimeout(deadline);
      clearImmediate(lastTurn);
      clearTimeout(connectTimer);
      for (const signal of signals) signal.removeEventListener("abort", abort);
    });
    request.end(body);
  });
}
