import { H3 } from "h3-v2";
import { z } from "zod";
import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import { reachForm } from "../forms/access.ts";
import { assertMayCreate } from "../forms/service.ts";
import type { Caller } from "../keys/schema.ts";
import { prefixedId } from "../lib/id.ts";
import { parseInput } from "../lib/input.ts";
import { jsonResponse } from "../lib/response.ts";
import { assertScopes, assertTeam, authenticate } from "./auth.ts";
import { readJson } from "./body.ts";
import { errorResponse, toApiError } from "./envelope.ts";
import { discardRest } from "./leftover.ts";
import { limitCaller } from "./limits.ts";
import { misplacedWarning } from "./misplaced.ts";
import type { Call, ErrorRenderer, Exchange, HostInfo, Method, RawRoute, Route } from "./route.ts";

/** The one that ours derive from: @hono/node-server puts its own in the place of Node's, which derives from it as well. */
const WebResponse = Response;

/** A request of the management API may carry at most 1 MB of JSON. */
const JSON_LIMIT = 1024 * 1024;

/** Addresses that answer and err alike. */
export interface Zone {
  readonly basePath: string;
  /** Unknown addresses below it are answered by this zone; all others by the first zone. */
  readonly prefix?: string;
  readonly routes: readonly RawRoute[];
  readonly onError: ErrorRenderer;
  /** Sees every answer of the zone before it leaves. */
  readonly finish?: (response: Response, exchange: Exchange) => void;
  /** Answers `OPTIONS` where the zone speaks to browsers of other origins. */
  readonly preflight?: (exchange: Exchange, params: Readonly<Record<string, string>>) => Promise<Response> | Response;
}

/** What goes with a request through the router. */
interface Context {
  readonly exchange: Exchange;
  response?: Response;
}
const contextOf = (event: { context: unknown }): Context => event.context as Context;

export const v1Errors: ErrorRenderer = (error, { core, requestId }) =>
  errorResponse(toApiError(error, requestId, core.options.logger), requestId);

/** One web-standard handler over all zones. It answers whatever happens and never rejects. */
export function createHandler(
  core: Core,
  zones: readonly Zone[],
  openFirst: () => Promise<void>,
): (request: Request, info: HostInfo) => Promise<Response> {
  const app = new H3({ silent: true, allowMalformedURL: true });
  for (const zone of zones) {
    for (const [path, rows] of byPath(zone.routes)) {
      const methods = new Map(rows.map((row) => [row.method, row]));
      // Twice where there is a base path: some hosts strip the prefix that they mount under (Hono's mount, h3's mount).
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
  const warnMisplaced = misplacedWarning(core, zones);
  app.all("/**", async (event) => {
    const context = contextOf(event);
    const { exchange } = context;
    warnMisplaced(exchange.url.pathname);
    context.response = await answer(zoneOf(zones, exchange.url), exchange, () =>
      Promise.reject(new ApiError("not_found")),
    );
    return null;
  });

  return async (request, info) => {
    const requestId = requestIdOf(core, request);
    const url = new URL(request.url);
    const exchange: Exchange = { core, request, url, info, requestId, extra: {}, ready: openFirst };
    const context: Context = { exchange };
    try {
      const routed = (await app.request(request as never, undefined, context as never)) as Response;
      // Not through h3, which asks for the `Response` of the moment: @hono/node-server puts its own in the place of Node's.
      return context.response ?? routed;
    } catch (error) {
      return zoneOf(zones, exchange.url).onError(error, exchange);
    } finally {
      discardRest(request);
    }
  };
}

function zoneOf(zones: readonly Zone[], { pathname }: URL): Zone {
  const under = (path: string) => pathname === path || pathname.startsWith(`${path}/`);
  const stripped = !zones.some(({ basePath }) => basePath !== "" && under(basePath));
  const owner = zones.find(
    ({ basePath, prefix }) => prefix !== undefined && (under(basePath + prefix) || (stripped && under(prefix))),
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
  for (const name in exchange.extra) response.headers.set(name, exchange.extra[name] as string);
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
  const params = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, decoded(value)]));
  const { method } = exchange.request;
  const row = methods.get((method === "HEAD" ? "GET" : method) as Method);
  if (row) {
    if (!row.unopened) await opened(exchange);
    return row.handler(exchange, params);
  }
  if (method === "OPTIONS" && zone.preflight) {
    await opened(exchange);
    return zone.preflight(exchange, params);
  }
  const listed = [...methods.values()].filter((known) => !known.unlisted).map((known) => known.method);
  const allow = [...listed, ...(listed.includes("GET") ? ["HEAD"] : []), ...(zone.preflight ? ["OPTIONS"] : [])].join(
    ", ",
  );
  throw new ApiError("method_not_allowed", { headers: { allow }, message: `This address takes ${allow}.` });
}

/** A store that can't be opened is the same to a caller as one that went down later. */
async function opened({ core, ready, requestId }: Exchange): Promise<void> {
  await ready().catch((cause: unknown) => {
    if (cause instanceof ApiError) throw cause;
    core.options.logger.error(
      `${requestId}: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`,
    );
    throw new ApiError("unavailable", { headers: { "retry-after": "5" }, cause });
  });
}

/**
 * h3 leaves `%25` and `%2F` in parameters, so that decoding once more gives what the client encoded. What is not encoded
 * rightly stands for itself: it names nothing, and the route says so in its own words.
 */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The row of the management API as an address: credential → team → scope → rate → form access → input → handler. */
export function v1Route(row: Route): RawRoute {
  return {
    method: row.method,
    path: row.path,
    ...(row.unopened && { unopened: true }),
    async handler(exchange, rawParams) {
      const { core, request, url } = exchange;
      const caller = await allowed(row, exchange);
      if (row.creates) assertMayCreate(caller);
      if (rawParams["form_id"] !== undefined && row.scopes) await reachForm(core, caller, rawParams["form_id"]);
      const call: Call<unknown, unknown, unknown> = {
        ...exchange,
        caller,
        params: row.params && parseInput(row.params, rawParams),
        query: readQuery(row.query, url),
        body: row.body && parseInput(row.body, await readJson(request, JSON_LIMIT)),
      };
      const result = await row.handler(call as never);
      if (result instanceof WebResponse) return result;
      return jsonResponse(row.response.parse(result), row.status ?? 200);
    },
  };
}

async function allowed(row: Route, exchange: Exchange): Promise<Caller> {
  const { core } = exchange;
  if (row.scopes === null) return { auth: "host", id: "anyone", team_ids: [], scopes: [], form_ids: [] };
  const caller = await authenticate(exchange);
  await assertTeam(core, caller);
  assertScopes(caller, row.scopes);
  await limitCaller(exchange, caller);
  return caller;
}

const NoQuery = z.strictObject({});

/** A row without a schema takes no parameter at all: one that is ignored here would be refused by its neighbour. */
function readQuery(schema: Route["query"], url: URL): unknown {
  const query = parseInput(schema ?? NoQuery, queryOf(url, schema ?? NoQuery));
  return schema && query;
}

/**
 * A parameter may be repeated only where its schema is a list. Where the schema of `name` is a record, it takes parameters
 * `name[…]`, with what follows `name` as the key.
 */
function queryOf(url: URL, schema: z.ZodType): Record<string, unknown> {
  const shape = (schema as { shape?: Record<string, z.ZodType> }).shape ?? {};
  const query = new Map<string, unknown>();
  const records = new Map<string, [string, string][]>();
  for (const name of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(name);
    const [value = ""] = values;
    const list = unwrapped(shape[name]) === "array";
    if (values.length > 1 && !list) {
      throw new ApiError("invalid_parameter", { param: name, message: `\`${name}\` may be given once.` });
    }
    const bracket = name.indexOf("[");
    const owner = name.slice(0, Math.max(bracket, 0));
    if (unwrapped(shape[owner]) === "record") {
      records.set(owner, [...(records.get(owner) ?? []), [name.slice(bracket), value]]);
    } else query.set(name, list ? values : value);
  }
  for (const [owner, entries] of records) if (!query.has(owner)) query.set(owner, Object.fromEntries(entries));
  return Object.fromEntries(query);
}

function unwrapped(schema: z.ZodType | undefined): string | undefined {
  const def = schema?.def as { type: string; innerType?: z.ZodType } | undefined;
  return def?.innerType ? unwrapped(def.innerType) : def?.type;
}

function requestIdOf(core: Core, request: Request): string {
  const given = core.options.trustRequestId ? request.headers.get("x-request-id") : null;
  return given && /^[\w.:/+=-]{1,128}$/.test(given) ? given : prefixedId("req");
}
