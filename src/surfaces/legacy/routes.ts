import { mediaType, readBody } from "../../core/http/body.ts";
import { toApiError } from "../../core/http/envelope.ts";
import { limitCaller, limitFailures } from "../../core/http/limits.ts";
import type { ErrorRenderer, Exchange, RawRoute } from "../../core/http/route.ts";
import { ApiError } from "../../errors.ts";
import { reachForm } from "../../features/forms/access.ts";
import { assertMayCreate } from "../../features/forms/create.ts";
import { deleteForm } from "../../features/forms/service.ts";
import { assertScopes, assertTeam } from "../../features/keys/auth.ts";
import { callerOfKey } from "../../features/keys/service.ts";
import { parseInput } from "../../lib/input.ts";
import { parseJson } from "../../lib/json.ts";
import { jsonResponse } from "../../lib/response.ts";
import type { Caller, Scope } from "../../model/keys.ts";
import { parseListQuery } from "./filter.ts";
import { listLegacySubmissions } from "./list.ts";
import { LegacyCreate, parameters } from "./schema.ts";
import { createLegacyForm } from "./service.ts";

const BODY_LIMIT = 1024 * 1024;

/** The older API: credential in the header `api_key`, its own shape of success and error. */
export const legacyRoutes: readonly RawRoute[] = [
  {
    method: "GET",
    path: "/api/auth",
    async handler(exchange) {
      await admit(exchange, keyHeader(exchange), []);
      return jsonResponse({
        status: "success",
        message: "The key is valid; send it as the header api_key with every request.",
      });
    },
  },
  {
    method: "PUT",
    path: "/api/form",
    async handler(exchange) {
      const key = keyHeader(exchange);
      // The published command-line client sends its key among the parameters, which are read first only where no header came.
      const early = key === null ? await readParameters(exchange.request).catch(() => ({})) : null;
      const caller = await admit(exchange, key ?? keyAmong(early), ["forms:write"]);
      assertMayCreate(caller);
      const sent = parseInput(LegacyCreate, early ?? (await readParameters(exchange.request)));
      const formUrl = await createLegacyForm(exchange.core, caller, sent);
      return done("Created a new form", "Your form was created.", { formUrl });
    },
  },
  {
    method: "DELETE",
    path: "/api/form/:form_id",
    async handler(exchange, params) {
      const caller = await admit(exchange, keyHeader(exchange) ?? exchange.url.searchParams.get("apiKey"), [
        "forms:write",
      ]);
      await deleteForm(exchange.core, await reachForm(exchange.core, caller, params["form_id"] ?? ""));
      return done("Deleted the form", "Your form was deleted.");
    },
  },
  {
    method: "GET",
    path: "/api/form/:form_id/submissions",
    async handler(exchange, params) {
      const caller = await admit(exchange, keyHeader(exchange), ["submissions:read"]);
      const form = await reachForm(exchange.core, caller, params["form_id"] ?? "");
      return jsonResponse(await listLegacySubmissions(exchange.core, caller, form.id, parseListQuery(exchange.url)));
    },
  },
];

/** Every error of the legacy API. */
export const legacyErrors: ErrorRenderer = (thrown, { core, requestId }) => {
  const { status, message, headers } = toApiError(thrown, requestId, core.options.logger);
  return jsonResponse({ code: status, title: titles[status] ?? "Error", message, type: "error" }, status, headers);
};

const titles: Readonly<Record<number, string>> = {
  400: "Invalid request",
  401: "Not authenticated",
  403: "Not allowed",
  404: "Not found",
  405: "Method not allowed",
  408: "Request timeout",
  413: "Body too large",
  415: "Unsupported content type",
  429: "Too many requests",
  500: "Something went wrong",
  503: "Unavailable",
};

const done = (title: string, message: string, more: object = {}): Response =>
  jsonResponse({ code: 200, title, message, type: "success", ...more });

const keyHeader = ({ request }: Exchange): string | null => request.headers.get("api_key");

/** The caller of a key, valid and with these scopes. */
async function admit(exchange: Exchange, key: string | null, scopes: readonly Scope[]): Promise<Caller> {
  const { core } = exchange;
  if (!key) throw new ApiError("missing_bearer", { message: "Send your API key in the header `api_key`." });
  const caller = await limitFailures(exchange, () => callerOfKey(core, key));
  await assertTeam(core, caller);
  assertScopes(caller, scopes);
  await limitCaller(exchange, caller);
  return caller;
}

function keyAmong(parameters: unknown): string | null {
  const key = (parameters as { apiKey?: unknown } | null)?.apiKey;
  return typeof key === "string" ? key : null;
}

/**
 * The parameters of a body in JSON or urlencoded. Throws the errors of `readBody`, `unsupported_media_type`,
 * `invalid_parameter`.
 */
async function readParameters(request: Request): Promise<unknown> {
  const type = mediaType(request);
  const body = await readBody(request, BODY_LIMIT);
  if (type === "application/json") return parseJson(body);
  if (type !== "application/x-www-form-urlencoded" && body.length > 0) {
    throw new ApiError("unsupported_media_type", {
      message: "Send the parameters as application/json or application/x-www-form-urlencoded.",
    });
  }
  const sent = new URLSearchParams(body.toString());
  for (const name of Object.keys(parameters)) {
    if (sent.getAll(name).length > 1)
      throw new ApiError("invalid_parameter", { param: name, message: `\`${name}\` may be given only once.` });
  }
  return Object.fromEntries(sent);
}
