import { isBranded, slugOf } from "../../lib/brand.ts";
import { assertFewValues } from "../../lib/json.ts";
import { jsonResponse } from "../../lib/response.ts";
import type { Caller, Scope } from "../../model/keys.ts";
import { bearerOf } from "../api/admission.ts";
import {
  type Core,
  clientGone,
  type Exchange,
  limitCaller,
  type RawRoute,
  readBody,
  toApiError,
} from "../api/kernel.ts";
import type { Zone } from "../api/zone.ts";
import { assertOwnHost, originOf } from "./access.ts";
import { operationsOf } from "./in-process.ts";
import { lacking, rows } from "./operations.ts";
import type { McpSettings } from "./options.ts";
import { addressOf, challengeOf, metadataPath, metadataResponse, PATH } from "./resource.ts";
import { loadSdk } from "./sdk.ts";
import { createMcpServer, offered } from "./server.ts";

const BODY_LIMIT = 1024 * 1024;
/** What a client that has no token yet should ask for: enough to look around. */
const FIRST_SCOPES = ["forms:read", "submissions:read"];
const ALLOWED =
  "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID";
const METHODS = "GET, POST, DELETE, OPTIONS";

/** A request and its caller, on their way through the protocol's package. */
interface Asked {
  readonly caller: Caller;
  readonly exchange: Exchange;
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown };
}

/** The addresses of an MCP server: itself, and the metadata of its authorization. */
export function zoneOf(core: Core, settings: McpSettings): { zone: Zone; close: () => Promise<void> } {
  const { options } = core;
  const title = settings.title ?? options.brand.name;
  const name = settings.name ?? (isBranded(options) ? slugOf(options.brand.name) || "forms" : undefined);
  const known = new Map(offered(settings).map((tool) => [tool.name, tool]));

  const open = async () => {
    const sdk = await loadSdk();
    return sdk.createMcpHandler(
      (context) => {
        const { caller, exchange } = (context.authInfo as unknown as { extra: Asked }).extra;
        const onFault = (error: unknown) => toApiError(error, exchange.requestId, options.logger);
        return createMcpServer(
          sdk,
          operationsOf(core, caller, exchange),
          { ...settings, title, ...(name !== undefined && { name }) },
          onFault,
        );
      },
      { maxRequestBodySize: BODY_LIMIT },
    );
  };
  let handler: ReturnType<typeof open> | undefined;
  const opened = () =>
    (handler ??= open().catch((error: unknown) => {
      // The next request tries again.
      handler = undefined;
      throw error;
    }));

  async function serve(exchange: Exchange): Promise<Response> {
    assertOwnHost(exchange);
    originOf(exchange, settings);
    const caller: Caller = { ...(await bearerOf(exchange, addressOf(options))), sees: "agents" };
    const { request, url } = exchange;
    const body = request.method === "POST" ? await readBody(request, BODY_LIMIT) : undefined;
    if (body) assertFewValues(body);
    const message = body && messageOf(body);
    const tool = message?.method === "tools/call" ? known.get(String(message.params?.name)) : undefined;
    // The rows that a tool calls are counted one by one.
    if (!tool) await limitCaller(exchange, caller);
    const needed = tool ? (rows[tool.operation].scopes ?? []) : [];
    if (caller.auth === "oauth" && lacking(caller, needed).length > 0) return stepUp(core, needed, message?.id);
    // Nothing is announced to subscribers, so a stream would only be kept open.
    if (message?.method === "subscriptions/listen") return failed(404, -32_601, "Method not found", message.id);
    const headers = new Headers(
      [...request.headers].filter(([name]) => /^(accept|content-type|last-event-id|mcp-.*)$/.test(name)),
    );
    const { method } = request;
    const rebuilt = new Request(url, { method, headers, signal: clientGone(request), ...(body && { body }) });
    const asked: Asked = { caller, exchange };
    // The token itself goes no further.
    const authInfo = { token: "", clientId: caller.id, scopes: [], extra: { ...asked } };
    const response = await (await opened()).fetch(rebuilt, { authInfo });
    response.headers.set("cache-control", "no-store");
    return response;
  }

  const route = (method: "GET" | "POST" | "DELETE"): RawRoute => ({ method, path: PATH, handler: serve });
  const metadata: RawRoute = {
    method: "GET",
    path: metadataPath,
    unopened: true,
    handler: async () => metadataResponse(options),
  };

  return {
    zone: {
      basePath: options.basePath,
      prefixes: [PATH],
      routes: [route("POST"), route("GET"), route("DELETE"), metadata],
      onError(error, exchange) {
        const fault = toApiError(error, exchange.requestId, options.logger);
        const response = failed(fault.status, -32_000, `${fault.code}: ${fault.message}`, null, fault.headers);
        if (fault.status === 401) response.headers.set("www-authenticate", challengeOf(options, FIRST_SCOPES));
        return response;
      },
      finish(response, { request }) {
        const origin = request.headers.get("origin");
        const { headers } = response;
        if (headers.has("access-control-allow-origin")) return;
        headers.append("vary", "Origin");
        if (origin === null || !settings.allowedOrigins.includes(origin)) return;
        headers.set("access-control-allow-origin", origin);
        headers.set("access-control-expose-headers", "WWW-Authenticate, Retry-After, X-Request-Id");
      },
      preflight(exchange) {
        originOf(exchange, settings);
        return new Response(null, {
          status: 204,
          headers: {
            allow: METHODS,
            "access-control-allow-methods": METHODS,
            "access-control-allow-headers": ALLOWED,
            "access-control-max-age": "600",
          },
        });
      },
    },
    async close() {
      await (await handler?.catch(() => undefined))?.close();
    },
  };
}

/** The one message of a body; undefined for anything else, which the protocol's own checks refuse. */
function messageOf(body: Buffer): Message | undefined {
  try {
    const message: unknown = JSON.parse(body.toString());
    return typeof message === "object" && message !== null && !Array.isArray(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Asks an OAuth client to get a token with more scopes (RFC 6750, 3.1). A key can't be changed, so its caller gets a result. */
function stepUp({ options }: Core, needed: readonly Scope[], id: unknown): Response {
  return failed(403, -32_000, `insufficient_scope: this tool needs ${needed.join(", ")}.`, id ?? null, {
    "www-authenticate": challengeOf(options, needed, "insufficient_scope"),
  });
}

const failed = (status: number, code: number, message: string, id: unknown, headers = {}): Response =>
  jsonResponse({ jsonrpc: "2.0", id: id ?? null, error: { code, message } }, status, headers);
