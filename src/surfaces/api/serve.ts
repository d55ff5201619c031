import type { Core } from "../../core/core.ts";
import { share } from "../../core/fairness/share.ts";
import { errorResponse, toApiError } from "../../core/http/envelope.ts";
import { clientGone } from "../../core/http/gone.ts";
import { readJson, readOptionalJson } from "../../core/http/json-body.ts";
import { opened } from "../../core/http/opened.ts";
import type { ErrorRenderer, Exchange, HostInfo, Method, Operation, RawRoute } from "../../core/http/route.ts";
import { discardRest } from "../../core/http/unread-body.ts";
import { ApiError } from "../../errors.ts";
import { prefixedId } from "../../lib/id.ts";
import { late } from "../../lib/late.ts";
import { packages } from "../../lib/packages.ts";
import { jsonResponse, loadResponses, WebResponse } from "../../lib/response.ts";
import { type Caller, SEES, VIA } from "../../model/keys.ts";
import { requestUrl } from "./address.ts";
import { admit, callerOf } from "./admission.ts";
import { invoke } from "./invoke.ts";
import { misplacedWarning } from "./misplaced.ts";
import { queryOf } from "./query.ts";
import type { Zone } from "./zone.ts";

/** A request of the management API may carry at most 1 MB of JSON. */
const JSON_LIMIT = 1024 * 1024;

/** Data that accompanies a request through the router. */
interface Context {
  readonly exchange: Exchange;
  response?: Response;
}
const contextOf = (event: { context: unknown }): Context => event.context as Context;

export const v1Errors: ErrorRenderer = (error, { core, requestId }) =>
  errorResponse(toApiError(error, requestId, core.options.logger), requestId);

/** One web-standard handler over all zones. It always returns a response and never rejects. */
export function createHandler(
  core: Core,
  zones: readonly Zone[],
  openFirst: () => Promise<void>,
  atOwnHost: (exchange: Exchange) => Promise<Exchange> = async (exchange) => exchange,
): (request: Request, info: HostInfo) => Promise<Response> {
  const warnMisplaced = misplacedWarning(core, zones);
  const router = late(createRouter);

  async function createRouter() {
    const [{ H3 }] = await Promise.all([packages.h3(), loadResponses()]);
    const app = new H3({ silent: true, allowMalformedURL: true });
    for (const zone of zones) {
      for (const [path, rows] of byPath(zone.routes)) {
        const methods = new Map(rows.map((row) => [row.method, row]));
        // Twice if there is a base path: some hosts strip their mount prefix (Hono's mount, h3's mount).
        for (const full of new Set([zone.basePath + path, path])) {
          app.all(full, async (event) => {
            const context = contextOf(event);
            const { exchange } = context;
            context.response = await answer(zone, exchange, () =>
              dispatch(zone, methods, exchange, event.context.params ?? {}),
            );
            return null;
          });
        }
      }
    }
    app.all("/**", async (event) => {
      const context = contextOf(event);
      const { exchange } = context;
      const sentence = warnMisplaced(exchange.url.pathname);
      const fault = new ApiError("not_found", sentence === undefined ? {} : { message: `${sentence}.` });
      context.response = await answer(zoneOf(zones, exchange.url), exchange, () => Promise.reject(fault));
      return null;
    });
    return app;
  }

  return async (request, info) => {
    const requestId = requestIdOf(core, request);
    const { url, fault } = requestUrl(request, core.options.baseUrl);
    let exchange: Exchange = { core, request, url, info, requestId, extra: {}, share: share(), ready: openFirst };
    try {
      const refused = await atOwnHost(exchange).then(
        (served) => {
          exchange = served;
          return fault;
        },
        (error: unknown) => error,
      );
      if (refused) return await answer(zoneOf(zones, url), exchange, () => Promise.reject(refused));
      const context: Context = { exchange };
      const app = router.now() ?? (await router.load());
      const routed = (await app.request(request as never, undefined, context as never)) as Response;
      // Not through h3, which asks for the `Response` of the moment: @hono/node-server replaces Node's by its own.
      return context.response ?? routed;
    } catch (error) {
      return zoneOf(zones, exchange.url).onError(error, exchange);
    } finally {
      exchange.share.leave();
      discardRest(request);
    }
  };
}

function zoneOf(zones: readonly Zone[], { pathname }: URL): Zone {
  const under = (path: string) => pathname === path || pathname.startsWith(`${path}/`);
  const stripped = !zones.some(({ basePath }) => basePath !== "" && under(basePath));
  const owner = zones.find(({ basePath, prefixes }) =>
    prefixes?.some((prefix) => under(basePath + prefix) || (stripped && under(prefix))),
  );
  return owner ?? (zones[0] as Zone);
}

/** Routes share a path when only the names of their parameters differ. */
function byPath(routes: readonly RawRoute[]): Map<string, RawRoute[]> {
  const paths = new Map<string, RawRoute[]>();
  for (const row of routes) paths.set(row.path, [...(paths.get(row.path) ?? []), row]);
  return paths;
}

async function answer(zone: Zone, exchange: Exchange, handle: () => Promise<Response>): Promise<Response> {
  const response = await handle().catch((error: unknown) => zone.onError(error, exchange));
  zone.finish?.(response, exchange);
  // A cookie comes beside those that the response has.
  for (const name in exchange.extra) {
    response.headers[name === "set-cookie" ? "append" : "set"](name, exchange.extra[name] as string);
  }
  response.headers.set("x-request-id", exchange.requestId);
  if (exchange.request.method !== "HEAD") return response;
  await response.body?.cancel();
  return new Response(null, { status: response.status, headers: response.headers });
}

async function dispatch(
  zone: Zone,
  methods: ReadonlyMap<Method, RawRoute>,
  exchange: Exchange,
  raw: Readonly<Record<string, string>>,
): Promise<Response> {
  const params: Record<string, string> = {};
  for (const name in raw) params[name] = decoded(raw[name] as string);
  const { method } = exchange.request;
  const row = methods.get((method === "HEAD" ? "GET" : method) as Method);
  if (row) {
    if (!row.unopened) await opened(exchange);
    return row.handler(exchange, params);
  }
  const listed = [...methods.values()].filter((known) => !known.unlisted).map((known) => known.method);
  const allow = [...listed, ...(listed.includes("GET") ? ["HEAD"] : []), ...(zone.preflight ? ["OPTIONS"] : [])].join(
    ", ",
  );
  if (method === "OPTIONS" && zone.preflight) return zone.preflight(exchange, params, allow);
  throw new ApiError("method_not_allowed", { headers: { allow }, message: `This address accepts ${allow}.` });
}

/**
 * h3 leaves `%25` and `%2F` in parameters, so decoding them once more gives the client's text. Text that can't be decoded is
 * kept: it names nothing, and the route reports it in its own words.
 */
function decoded(value: string): string {
  if (!value.includes("%")) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Makes an HTTP route of a row of the management API: credential → team → scope → rate, then `invoke`, as for every caller. */
export function v1Route(row: Operation): RawRoute {
  return {
    method: row.method,
    path: row.path,
    ...(row.unopened && { unopened: true }),
    async handler(exchange, params) {
      const { core, request, url } = exchange;
      const caller = await allowed(row, exchange);
      const headers: Record<string, string> = {};
      const result = await invoke(
        core,
        row,
        caller,
        {
          params,
          query: () => queryOf(url.searchParams, row.query),
          body: () => row.read?.(request) ?? (row.bodyOptional ? readOptionalJson : readJson)(request, JSON_LIMIT),
        },
        {
          signal: clientGone(request),
          ifMatch: request.headers.get("if-match"),
          headers,
          http: exchange,
          via: wayOf(request),
        },
      );
      return result instanceof WebResponse ? result : jsonResponse(result, row.status ?? 200, headers);
    },
  };
}

/** Programs of this package name themselves. It is a label of the audit and no right, so everybody may send it. */
function wayOf({ headers }: Request): "api" | "cli" | "mcp" {
  if (headers.get(SEES) === "agents") return "mcp";
  return headers.get(VIA) === "cli" ? "cli" : "api";
}

async function allowed(row: Operation, exchange: Exchange): Promise<Caller> {
  if (row.scopes === null) return { auth: "host", id: "anyone", team_ids: [], scopes: [], form_ids: [] };
  return admit(exchange, await callerOf(exchange), row.scopes);
}

function requestIdOf(core: Core, request: Request): string {
  const given = core.options.trustRequestId ? request.headers.get("x-request-id") : null;
  return given && /^[\w.:/+=-]{1,128}$/.test(given) ? given : prefixedId("req");
}
