import { createFetch } from "ofetch";
import { ApiError, type ErrorCode, errors } from "../../errors.ts";
import { type OperationName, operations, streamed } from "./operations.ts";

export interface RequesterOptions {
  /** The URL of the backend, as in its option `baseUrl`. */
  readonly baseUrl: string;
  /** An API key or access token, or a function that returns the current one. */
  readonly token: string | (() => string | Promise<string>);
  /** Repeats of a GET after 429 or 503. Default 3. */
  readonly retries?: number | undefined;
  /** Default: the platform's. In the process of the backend, `backend.fetch` saves the network. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** Options of a call besides its input. */
export interface CallOptions {
  /** Cancels the call; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Sent as `If-Match`: only this version is changed or deleted, otherwise the call throws `version_mismatch`. */
  readonly ifMatch?: string | undefined;
  /** Called with the headers of the response, such as `ETag`, before the call returns or throws. */
  readonly onHeaders?: ((headers: Headers) => void) | undefined;
}

/** Calls one operation. Throws `ApiError`; an abort throws the signal's reason. */
export type Requester = (name: OperationName, input: object, options: CallOptions) => Promise<unknown>;

/** A longer wait is the caller's to decide on. */
const MAX_WAIT_MS = 60_000;
const DEFAULT_WAIT_MS = 1_000;

/** Throws a TypeError that names the option when `baseUrl` or `token` is missing, as from a variable that is not set. */
export function createRequester(options: RequesterOptions): Requester {
  if (typeof options !== "object" || options === null)
    throw new TypeError("[form-backend] createClient: pass an object with the options `baseUrl` and `token`");
  const { baseUrl, token, retries = 3, fetch } = options;
  if (typeof baseUrl !== "string")
    throw new TypeError("[form-backend] createClient: option `baseUrl` must be the URL where the backend is mounted");
  if (typeof token !== "string" && typeof token !== "function")
    throw new TypeError(
      "[form-backend] createClient: option `token` must be an API key, or a function that returns one",
    );
  const base = baseUrl.replace(/\/+$/, "");
  const send = createFetch(fetch && { fetch: (url, init) => fetch(new Request(url, init)) });

  return async (name, input, { signal, ifMatch, onHeaders }) => {
    const { method, path, body } = requestOf(operations[name], input);
    const what = `${method} ${base}${path}`;
    for (let left = method === "GET" ? retries : 0; ; left--) {
      const authorization = `Bearer ${typeof token === "string" ? token : await token()}`;
      const answer = await send
        .raw<unknown, "stream">(base + path, {
          method,
          headers: { authorization, ...(ifMatch !== undefined && { "if-match": ifMatch }) },
          // Read and repeated below: ofetch neither waits for `Retry-After` nor stops waiting at an abort.
          responseType: "stream",
          ignoreResponseError: true,
          retry: false,
          ...(body !== undefined && { body }),
          ...(signal && { signal }),
        })
        .then((response) => {
          onHeaders?.(response.headers);
          return resultOf(response, name, what);
        })
        .catch((cause: unknown) => {
          signal?.throwIfAborted();
          return cause instanceof ApiError
            ? cause
            : new ApiError("unavailable", { message: `${what} got no response.`, cause });
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
  // A response of a proxy or a newer service: the closest code.
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

/** Ids that `URL` would turn into another path must not be sent: deleting the form `..` would delete something else. */
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

/** Time before the next try, in ms; null if trying again is useless. */
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
