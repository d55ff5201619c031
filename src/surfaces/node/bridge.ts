import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { NodeRequest, sendNodeResponse } from "srvx/node";
import type { HostInfo } from "../api/kernel.ts";
import type { FormBackend } from "../form-backend.ts";

/** Properties that a framework or a body parser adds to its request. */
export interface HostFacts {
  /** The path as it was before a router took its mount prefix off. */
  readonly originalUrl?: string | undefined;
  /** The body as a body parser left it. */
  readonly body?: unknown;
  /** The bytes of a body that was read, where the parser kept them. */
  readonly rawBody?: unknown;
}

/** Returns the backend. Throws at the mount, and not at the first request, if a host passed something else. */
export function checked<B extends Pick<FormBackend, "handle">>(backend: B): B {
  if (typeof backend?.handle === "function") return backend;
  throw new TypeError("[form-backend] formBackend() expects the object returned by createFormBackend().");
}

/** Tells paths at or below those of `baseUrl` and `legacyBaseUrl` from all others. */
export function pathsOf({ baseUrl, legacyBaseUrl }: FormBackend): (url: string) => boolean {
  const bases = [baseUrl, legacyBaseUrl].map((base) => new URL(base).pathname.replace(/\/$/, ""));
  return (url) => {
    const path = `${url.split("?", 1)[0]}/`;
    return bases.some((base) => path.startsWith(`${base}/`));
  };
}

/**
 * Serves Node requests through `backend.handle`. Rejects on errors outside the backend; part of the response may have been sent
 * by then.
 */
export function nodeHandler(
  backend: Pick<FormBackend, "handle">,
): (req: IncomingMessage, res: ServerResponse, info?: HostInfo) => Promise<void> {
  checked(backend);
  return async (req, res, info = connection(req)) => {
    await send(res, await backend.handle(webRequest(req, res), info));
  };
}

/** The socket's own address: whether forwarded ones are believed is the backend's option `trustProxy`, not the host's. */
export const connection = (req: IncomingMessage): HostInfo => ({ ip: req.socket.remoteAddress });

/** The body of a response, for hosts that send it themselves. */
export const streamOf = ({ body }: Response): Readable | undefined =>
  body ? Readable.fromWeb(body as ReadableStream) : undefined;

/** Node's request as a web one with the full path, and with its body put together again where a parser was first. */
export function webRequest(req: IncomingMessage, res: ServerResponse, facts: HostFacts = req as HostFacts): Request {
  const { url = "/" } = req;
  const request = new NodeRequest({ req, res });
  // Backends route by the path that the outside sees. It is read here, so that the host finds its own again.
  req.url = facts.originalUrl ?? url;
  void request.url;
  req.url = url;
  // Nitro's preset for Netlify leaves the stream of a web request on the Node request that it makes.
  if (facts.body instanceof globalThis.ReadableStream) return withBody(request, facts.body);
  const kept = bytesOf(req, facts);
  if (kept === "consumed") Object.defineProperty(request, "bodyUsed", { value: true });
  else if (kept !== undefined) Object.assign(req, { rawBody: kept });
  // A logger that listens for `data` must not start the stream before we listen as well.
  else if (req.readableFlowing) req.pause();
  return request;
}

const withBody = ({ url, method, headers }: Request, body: globalThis.ReadableStream): Request =>
  new Request(url, { method, headers, body, duplex: "half" } as RequestInit);

function bytesOf(req: IncomingMessage, { body, rawBody }: HostFacts): Buffer | "consumed" | undefined {
  for (const kept of [rawBody, body]) {
    if (typeof kept === "string" && isDamaged(kept, req)) return "consumed";
    if (typeof kept === "string" || kept instanceof Uint8Array) return Buffer.from(kept as string);
    // Nitro's presets for Bun and Deno leave the body like this on the Node request that they make.
    if (kept instanceof ArrayBuffer) return Buffer.from(kept);
  }
  if (!req.readableDidRead) return undefined;
  const type = (req.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "application/json" && body !== undefined) return Buffer.from(jsonText(body));
  if (type === "application/x-www-form-urlencoded" && isObject(body)) return Buffer.from(urlencoded(body));
  return "consumed";
}

/**
 * Text cannot hold the bytes of a file: Nitro 2's preset for AWS Lambda makes one of every body, with U+FFFD in place of what is no
 * UTF-8, which takes more bytes than were sent. A file is refused rather than stored so.
 */
function isDamaged(text: string, { headers }: IncomingMessage): boolean {
  const isMultipart = /^multipart\//i.test(headers["content-type"] ?? "");
  return isMultipart && text.includes("\uFFFD") && Buffer.byteLength(text) !== Number(headers["content-length"]);
}

function jsonText(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch {
    // Nested too deeply to be written again. No text is no JSON, so it is refused as malformed.
    return "";
  }
}

/** Nested objects as `a[b]=c`, which is how parsers got them; lists as a repeated name. */
function urlencoded(body: object): string {
  const pairs = new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (!isObject(value)) pairs.append(name, String(value ?? ""));
    else
      for (const [key, member] of Object.entries(value)) {
        add(Array.isArray(value) && !isObject(member) ? name : `${name}[${key}]`, member);
      }
  };
  for (const [name, value] of Object.entries(body)) add(name, value);
  return pairs.toString();
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** srvx's own response gives its parts away, once, so that a text goes out in one write instead of through a web stream. */
interface FastResponse {
  _toNodeResponse?(): { status: number; headers: string[]; body?: unknown };
}

async function send(res: ServerResponse, response: Response): Promise<void> {
  if (res.destroyed) return response.body?.cancel();
  const parts = (response as FastResponse)._toNodeResponse?.();
  if (!parts) {
    for (const [name, value] of response.headers) setHeader(res, name, value);
    res.writeHead(response.status);
    return sendBody(res, response);
  }
  for (let i = 0; i < parts.headers.length; i += 2)
    setHeader(res, parts.headers[i] as string, parts.headers[i + 1] as string);
  res.writeHead(parts.status);
  if (parts.body instanceof globalThis.ReadableStream) return sendBody(res, new Response(parts.body));
  res.end(parts.body ?? "");
}

/** If the client disconnects early, `sendNodeResponse` waits forever. */
async function sendBody(res: ServerResponse, response: Response): Promise<void> {
  const gone = new Promise<void>((resolve) => res.once("close", resolve));
  await Promise.race([sendNodeResponse(res, response), gone]);
}

/** One by one: `writeHead` with a list keeps only the last `Set-Cookie` on Node 20, and loses those of the host. */
function setHeader(res: ServerResponse, name: string, value: string): void {
  if (name === "set-cookie") res.appendHeader(name, value);
  else res.setHeader(name, value);
}
