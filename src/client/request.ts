import { createFetch } from "ofetch";
import { ApiError, type ErrorCode, errors } from "../errors.ts";
import { type OperationName, operations, streamed } from "./operations.ts";

export interface RequesterOptions {
  /** Where the backend is mounted, as its own option `baseUrl` says. */
  readonly baseUrl: string;
  /** An API key or access token, or a function that answers the one to use now. */
  readonly token: string | (() => string | Promise<string>);
  /** How often a GET that is answered 429 or 503 is tried again. Default 3. */
  readonly retries?: number | undefined;
  /** Default: the platform's. In the process of the backend, `backend.fetch` saves the network. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** Calls one operation. Throws `ApiError`; an abort throws the signal's reason. */
export type Requester = (name: OperationName, input: object, signal: AbortSignal | undefined) => Promise<unknown>;

/** A longer wait is the caller's to decide on. */
const MAX_WAIT_MS = 60_000;
const DEFAULT_WAIT_MS = 1_000;

/** Throws a TypeError that names the option when `baseUrl` or `token` is missing, as from a variable that is not set. */
export function createRequester({ baseUrl, token, retries = 3, fetch }: RequesterOptions): Requester {
  if (typeof baseUrl !== "string")
    throw new TypeError("[form-backend] createClient: option `baseUrl` must be the URL where the backend is mounted");
  if (typeof token !== "string" && typeof token !== "function")
    throw new TypeError(
      "[form-backend] createClient: option `token` must be an API key, or a function that answers one",
    );
  const base = baseUrl.replace(/\/+$/, "");
  const send = createFetch(fetch && { fetch: (url, init) => fetch(new Request(url, init)) });

  return async (name, input, signal) => {
    const { method, path, body } = requestOf(operations[name], input);
    const what = `${method} ${base}${path}`;
    for (let left = method === "GET" ? retries : 0; ; left--) {
      const authorization = `Bearer ${typeof token === "string" ? token : await token()}`;
      const answer = await send
        .raw<unknown, "stream">(base + path, {
          method,
          headers: { authorization },
          // Read below, and tried again there: ofetch neither waits for `Retry-After` nor stops waiting at an abort.
          responseType: "stream",
          ignoreResponseError: true,
          retry: false,
          ...(body !== undefined && { body }),
          ...(signal && { signal }),
        })
        .then((response) => resultOf(response, name, what))
        .catch((cause: unknown) => {
          signal?.throwIfAborted();
          return cause instanceof ApiError
            ? cause
            : new ApiError("unavailable", { message: `${what} got no answer.`, cause });
        });
      if (!(answer instanceof ApiError)) return answer;
      const wait = left > 0 ? waitBefore(answer) : null;
      if (wait === null) throw answer;
      // An abort that came before the wait is not heard during it.
      signal?.throwIfAborted();
      await pause(wait, signal);
    }
  };
}

async function resultOf(response: Response, name: OperationName, what: string): Promise<unknown> {
  if (response.ok && (streamed as readonly string[]).includes(name)) return response;
  const text = await response.text();
  const body = parsed(text);
  if (response.ok && body !== undefined) return body;
  const retryAfter = response.headers.get("retry-after");
  const headers = retryAfter === null ? {} : { "retry-after": retryAfter };
  const error = (body as { error?: ErrorBody } | null | undefined)?.error;
  if (error && error.code in errors) return new ApiError(error.code, { ...error, headers });
  // A proxy's answer, or a newer service's: the code that comes nearest.
  const codes = Object.keys(errors) as ErrorCode[];
  const nearest = codes.find((code) => errors[code].status === response.status) ?? "unavailable";
  const message = error?.message ?? `${what} was answered ${response.status}.`;
  return new ApiError(nearest, { message, headers, cause: text });
}

interface ErrorBody {
  readonly code: ErrorCode;
  readonly message: string;
  readonly param?: string;
  readonly required?: readonly string[];
  readonly request_id?: string;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function requestOf(address: string, input: object) {
  const [method = "", target = ""] = address.split(" ");
  const [template = "", queried = ""] = target.split("?");
  const rest = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined));
  const take = (name: string): unknown => {
    const value = rest.get(name);
    rest.delete(name);
    return value;
  };
  const path = template.replace(/:(\w+)/g, (_, name: string) => segment(name, take(name)));
  const hasBody = method === "POST" || method === "PATCH";
  const query = new URLSearchParams();
  for (const name of hasBody ? queried.split(",") : [...rest.keys()]) {
    const value = take(name);
    if (value !== undefined) append(query, name, value);
  }
  return {
    method,
    path: query.toString() === "" ? path : `${path}?${query}`,
    body: hasBody ? bodyOf(Object.fromEntries(rest)) : undefined,
  };
}

/** What `URL` would take for another path must not leave: deleting the form `..` would delete something else. */
function segment(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "" || value === "." || value === "..") {
    throw new ApiError("invalid_parameter", { param: name, message: `\`${name}\` is required.` });
  }
  return encodeURIComponent(value);
}

/** Lists are comma separated, but for form ids, which are repeated; `field: { NAME: { OP: value } }` is `field[NAME][OP]=value`. */
function append(query: URLSearchParams, name: string, value: unknown): void {
  if (name === "form_id" && Array.isArray(value)) for (const id of value) query.append(name, String(id));
  else if (typeof value !== "object" || value === null || Array.isArray(value)) query.append(name, String(value));
  else {
    for (const [key, inner] of Object.entries(value)) if (inner !== undefined) append(query, `${name}[${key}]`, inner);
  }
}

function bodyOf(members: Record<string, unknown>): Record<string, unknown> | FormData {
  if (!Object.values(members).some((value) => value instanceof Blob)) return members;
  const form = new FormData();
  for (const [name, value] of Object.entries(members)) form.append(name, value instanceof Blob ? value : String(value));
  return form;
}

/** How long to wait before the next try, in ms; null where trying again is of no use. */
function waitBefore({ status, headers }: ApiError): number | null {
  if (status !== 429 && status !== 503) return null;
  const asked = headers["retry-after"];
  if (asked === undefined) return DEFAULT_WAIT_MS;
  const ms = /^\d+$/.test(asked) ? Number(asked) * 1_000 : Date.parse(asked) - Date.now();
  return ms > MAX_WAIT_MS ? null : Math.max(ms, 0) || 0;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
