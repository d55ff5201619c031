import { beginningOf } from "../../../lib/beginning.ts";
import { deadline } from "../../../lib/deadline.ts";
import type { Io } from "../io.ts";

const TIMEOUT_MS = 10_000;
/** The rest of a longer body is not read. */
const MAX_BYTES = 64 * 1024;

/** A response, or why there is none. */
export type Answer =
  | {
      readonly status: number;
      readonly headers: Headers /** Undefined if the body is no JSON. */;
      readonly json: unknown;
    }
  | { readonly reason: string; readonly todo: string };

/** One request, without following redirects. */
export async function ask(io: Io, url: string, init: RequestInit = {}): Promise<Answer> {
  const limit = deadline(TIMEOUT_MS, io.signal);
  const request = new Request(url, { ...init, redirect: "manual", signal: limit.signal });
  try {
    const response = await (io.fetch ?? fetch)(request);
    return { status: response.status, headers: response.headers, json: parsed(await beginningOf(response, MAX_BYTES)) };
  } catch (error) {
    io.signal.throwIfAborted();
    return failure(error, new URL(url).host);
  } finally {
    limit.over();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failure(error: unknown, host: string): { reason: string; todo: string } {
  const { name, message, cause } = error as Error & { cause?: Error & { code?: string } };
  const code = cause?.code ?? name;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return {
      reason: `there is no address for ${host}.`,
      todo: `Add an A or AAAA record for ${host}, or correct the URL.`,
    };
  }
  if (code === "ECONNREFUSED") {
    return { reason: `nothing listens at ${host}.`, todo: "Start the server, and check the port and the firewall." };
  }
  if (code === "TimeoutError" || /TIMEDOUT|_TIMEOUT$/.test(code)) {
    return {
      reason: `${host} does not respond within ${TIMEOUT_MS / 1_000} s.`,
      todo: "Check the firewall and the proxy.",
    };
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL/.test(code)) {
    return {
      reason: `its certificate is not valid (${code}).`,
      todo: "Renew the certificate, and serve its whole chain.",
    };
  }
  return { reason: `${cause?.message || message}.`, todo: "Check the URL, the server and the proxy in front of it." };
}
