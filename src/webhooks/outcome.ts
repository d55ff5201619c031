import { type IncomingMessage, STATUS_CODES } from "node:http";
import { safeMessage } from "../lib/message.ts";
import { BlockedAddressError, LookupError } from "../lib/net-guard.ts";
import type { DeliveryCode } from "./codes.ts";

/** How one attempt ended, apart from its duration. */
export interface Outcome {
  /** True for a 2xx answer. */
  ok: boolean;
  code: DeliveryCode;
  /** Present when a final status line arrived. */
  http_status?: number;
  /** Present when none arrived. */
  node_error_code?: string;
  /** What went wrong, one line of at most 1,024 characters; empty for a success. */
  message: string;
  /** `Retry-After` of a 429 or 503 answer, as sent. */
  retry_after?: string;
  /** True when the answer was 410: the receiver wants no more. */
  gone?: boolean;
}

/** Who the attempt was for and how far it had come: what the messages name. */
export interface Progress {
  host: string;
  handshaking: boolean;
}

/** The outcome of an answer, from its status line and the start of its body. */
export function answered(response: IncomingMessage, body: Uint8Array): Outcome {
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return { ok: true, code: "SUCCESS", http_status: status, message: "" };
  const title = `HTTP ${status} ${response.statusMessage || STATUS_CODES[status] || ""}`.trim();
  const retryAfter = status === 429 || status === 503 ? response.headers["retry-after"] : undefined;
  return {
    ok: false,
    code: family(status),
    http_status: status,
    message: safeMessage(`${title}: ${bodyText(response, body)}`.replace(/: $/, "")),
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
    ...(status === 410 && { gone: true }),
  };
}

function family(status: number): DeliveryCode {
  if (status >= 300 && status < 400) return "ERROR_WEBHOOK_HTTP_3XX";
  if (status >= 400 && status < 500) return "ERROR_WEBHOOK_HTTP_4XX";
  if (status >= 500 && status < 600) return "ERROR_WEBHOOK_HTTP_5XX";
  // 101 would turn the connection over to another protocol; below 200 and above 599 nothing is defined as an answer.
  return "ERROR_WEBHOOK_PROTOCOL";
}

function bodyText(response: IncomingMessage, body: Uint8Array): string {
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase();
  // Compressed although we asked for identity: never unpacked, so there is nothing to read.
  if (encoding && encoding !== "identity") return "";
  // `stream` leaves out a character that the end of the excerpt cuts in two.
  return new TextDecoder().decode(body, { stream: true });
}

/** A failure before any answer. */
export function failed(code: DeliveryCode, nodeErrorCode: string, message: string): Outcome {
  return { ok: false, code, node_error_code: nodeErrorCode, message: safeMessage(message) };
}

/** The outcome of a network error. Node's own texts hold addresses of our side, so only those of TLS and HTTP parsing are passed on. */
export function broken(error: unknown, { host, handshaking }: Progress): Outcome {
  if (error instanceof BlockedAddressError) return blocked();
  if (error instanceof LookupError) {
    return failed("ERROR_WEBHOOK_DNS", error.code, `The name ${host} could not be resolved (${error.code}).`);
  }
  const { code = "ECONNRESET", message = "" } = error as NodeJS.ErrnoException;
  if (/^(?:HPE_|ERR_HTTP_)/.test(code)) {
    return failed("ERROR_WEBHOOK_PROTOCOL", code, `The answer of ${host} is not valid HTTP (${code}): ${message}`);
  }
  if (code === "ETIMEDOUT")
    return failed("ERROR_WEBHOOK_TIMEOUT", code, `${host} could not be reached in time (ETIMEDOUT).`);
  if (isTls(error as NodeJS.ErrnoException, code, handshaking)) {
    return failed("ERROR_WEBHOOK_TLS", code, `TLS with ${host} failed (${code}): ${message}`);
  }
  return failed("ERROR_WEBHOOK_CONNECTION", code, `The connection to ${host} failed (${code}).`);
}

/** The outcome of an address that the policy denies. */
export function blocked(): Outcome {
  return failed(
    "ERROR_WEBHOOK_BLOCKED_ADDRESS",
    "EBLOCKED",
    "The endpoint's address is private or reserved, so nothing was sent.",
  );
}

function isTls({ syscall }: NodeJS.ErrnoException, code: string, handshaking: boolean): boolean {
  if (code === "EPROTO" || /^ERR_(?:TLS|SSL|OSSL)_/.test(code)) return true;
  // Certificate faults have OpenSSL's names, some hundred of them; what the system reports comes with a call or is a cut.
  return handshaking && syscall === undefined && code !== "ECONNRESET";
}

/** The outcome of a limit that ran out before an answer. */
export function late(host: string, ms: number, missing: "connection" | "answer"): Outcome {
  const what = missing === "connection" ? `No connection to ${host}` : `No answer from ${host}`;
  return failed("ERROR_WEBHOOK_TIMEOUT", "ETIMEDOUT", `${what} within ${ms / 1_000} s (ETIMEDOUT).`);
}

/** The outcome of an attempt that this process ended itself; the caller knows, because it did so. */
export function stopped(): Outcome {
  return failed("ERROR_WEBHOOK_INTERNAL", "ABORT_ERR", "The attempt was stopped before it ended.");
}
