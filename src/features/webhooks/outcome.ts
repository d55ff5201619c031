import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Outcome } from "../../core/webhook-client.ts";
import { safeMessage } from "../../lib/message.ts";
import { BlockedAddressError, LookupError } from "../../lib/net-guard.ts";
import type { DeliveryCode } from "../../model/codes.ts";

export type { Outcome };

/** The target of the attempt and its progress, for messages. */
export interface Progress {
  host: string;
  handshaking: boolean;
}

/** The status line and the headers of a response. */
export type Head = Pick<IncomingMessage, "statusCode" | "statusMessage" | "headers">;

/** The outcome of a response, from its head and the start of its body. */
export function answered(response: Head, body: Uint8Array): Outcome {
  const status = response.statusCode ?? 0;
  const text = bodyText(response, body);
  const said = text !== "" && { body: text };
  if (status >= 200 && status < 300) return { ok: true, code: "SUCCESS", http_status: status, message: "", ...said };
  const title = `HTTP ${status} ${response.statusMessage || STATUS_CODES[status] || ""}`.trim();
  const retryAfter = status === 429 || status === 503 ? response.headers["retry-after"] : undefined;
  return {
    ok: false,
    code: family(status),
    http_status: status,
    message: safeMessage(`${title}: ${text}`.replace(/: $/, "")),
    ...said,
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
  };
}

/** The code of an unsuccessful response. */
export function family(status: number): DeliveryCode {
  if (status >= 300 && status < 400) return "ERROR_WEBHOOK_HTTP_3XX";
  if (status >= 400 && status < 500) return "ERROR_WEBHOOK_HTTP_4XX";
  if (status >= 500 && status < 600) return "ERROR_WEBHOOK_HTTP_5XX";
  // 101 would switch the connection to another protocol; below 200 and above 599 no final status is defined.
  return "ERROR_WEBHOOK_PROTOCOL";
}

function bodyText(response: Head, body: Uint8Array): string {
  if (body.length === 0) return "";
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase();
  // Compressed although we asked for identity: never unpacked, so there is nothing to read.
  if (encoding && encoding !== "identity") return "";
  // `stream` leaves out a character that is cut at the end of the excerpt.
  return new TextDecoder().decode(body, { stream: true });
}

/** A failure before any response. */
export function failed(code: DeliveryCode, nodeErrorCode: string, message: string): Outcome {
  return { ok: false, code, node_error_code: nodeErrorCode, message: safeMessage(message) };
}

/** The outcome of a network error. Node's own texts contain our addresses, so only those of TLS and HTTP parsing are passed on. */
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
  // Certificate faults have about a hundred OpenSSL names; errors of the system name a call or are a cut connection.
  return handshaking && syscall === undefined && code !== "ECONNRESET";
}

/** The outcome of a time limit reached before any response. */
export function late(host: string, ms: number, missing: "connection" | "answer"): Outcome {
  const what = missing === "connection" ? `No connection to ${host}` : `No answer from ${host}`;
  return failed("ERROR_WEBHOOK_TIMEOUT", "ETIMEDOUT", `${what} within ${ms / 1_000} s (ETIMEDOUT).`);
}

/** The outcome of an answer that is too long before it even begins, such as one of interim answers alone. */
export function endless(host: string): Outcome {
  const code = "HPE_HEADER_OVERFLOW";
  return failed("ERROR_WEBHOOK_PROTOCOL", code, `The answer of ${host} is too long (${code}).`);
}

/** The outcome of an attempt that this process ended itself; the caller knows that. */
export function stopped(): Outcome {
  return failed("ERROR_WEBHOOK_INTERNAL", "ABORT_ERR", "The attempt was stopped before it ended.");
}
