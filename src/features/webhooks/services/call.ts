import { beginningOf } from "../../../lib/beginning.ts";
import { deadline } from "../../../lib/deadline.ts";
import { withoutEcho } from "../../../lib/echo.ts";
import { safeMessage } from "../../../lib/message.ts";
import type { DeliveryCode } from "../../../model/codes.ts";
import type { Fault } from "./fault.ts";

/** The ids of a million rows take half of it. */
const MAX_ANSWER = 64 * 1024 * 1024;
/** More words than anybody reads. */
const MAX_REFUSAL = 64 * 1024;
const MAX_SAID = 500;

export interface Request {
  /** Default `GET`, or `POST` with a body. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH";
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON body. */
  readonly json?: unknown;
  /** A urlencoded body. */
  readonly form?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly ok: boolean;
  readonly status: number;
  /** The JSON of the answer; an empty object for any other. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly retryAfter: string | null;
}

/** Sends one request and returns the answer, whatever its status. Throws `ServiceError` where there is none. */
export type Call = (url: string, request?: Request) => Promise<Reply>;

/** A fault that ends a whole call, with all of its entries. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  /** `failed`: the same call would fail again. */
  readonly end: "retry" | "failed";
  readonly fault: Fault;
  constructor(end: "retry" | "failed", fault: Fault, cause?: unknown) {
    super(fault.message, { cause });
    this.end = end;
    this.fault = fault;
  }
}

interface CallOptions {
  readonly service: string;
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Called before each request. */
  readonly onRequest: () => void;
}

/** Calls over `fetch`, without redirects, each within `timeoutMs`. */
export function callsOf({ service, userAgent, timeoutMs, signal, onRequest }: CallOptions): Call {
  return async (url, { method, headers, json, form } = {}) => {
    const body = json !== undefined ? JSON.stringify(json) : form && new URLSearchParams(form).toString();
    onRequest();
    const limit = deadline(timeoutMs, signal);
    try {
      const response = await fetch(url, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          accept: "application/json",
          "user-agent": userAgent,
          ...(json !== undefined && { "content-type": "application/json" }),
          ...(form && { "content-type": "application/x-www-form-urlencoded" }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        redirect: "error",
        signal: limit.signal,
      });
      const { ok, status } = response;
      const text = await beginningOf(response, ok ? MAX_ANSWER : MAX_REFUSAL);
      // A service, or a proxy before it, may repeat the key in its words, which the log and the owner's mail show.
      const answer = objectOf(ok ? text : withoutEcho(text, secretsOf(headers)));
      return { ok, status, json: answer, retryAfter: response.headers.get("retry-after") };
    } catch (cause) {
      if (signal?.aborted) throw unanswered("ERROR_WEBHOOK_INTERNAL", "ABORT_ERR", "The call was stopped.", cause);
      if (limit.isLate()) {
        const text = `${service} did not answer within ${timeoutMs / 1_000} s (ETIMEDOUT).`;
        throw unanswered("ERROR_WEBHOOK_TIMEOUT", "ETIMEDOUT", text, cause);
      }
      const code = nodeCodeOf(cause) ?? "ECONNRESET";
      throw unanswered(
        "ERROR_WEBHOOK_CONNECTION",
        code,
        `The connection to ${service} failed (${code}), so it is not known what arrived.`,
        cause,
      );
    } finally {
      limit.over();
    }
  };
}

/** The secrets in the headers of a request, in each of the ways to write them. */
function secretsOf({ authorization = "" }: Readonly<Record<string, string>> = {}): string[] {
  const secret = authorization.slice(authorization.indexOf(" ") + 1);
  return [secret, Buffer.from(secret, "base64").toString()];
}

const unanswered = (code: DeliveryCode, nodeErrorCode: string, message: string, cause: unknown): ServiceError =>
  new ServiceError("retry", { code, nodeErrorCode, message, ours: true }, cause);

function objectOf(text: string): Reply["json"] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Reply["json"]) : {};
  } catch {
    return {};
  }
}

function nodeCodeOf(error: unknown): string | undefined {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === "string") return code;
  return cause === undefined || cause === null ? undefined : nodeCodeOf(cause);
}

/** A member at a path of an answer, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let place = value;
  for (const name of path) {
    if (typeof place !== "object" || place === null) return undefined;
    place = (place as Readonly<Record<string | number, unknown>>)[name];
  }
  return place;
}

/** A text at a path of an answer, or `""`. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
}

/** The list at a path of an answer, or an empty one. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The service's own words, on one line. */
export const said = (text: string): string => safeMessage(text).slice(0, MAX_SAID);
