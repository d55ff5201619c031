import { ApiError } from "../../errors.ts";
import { parseInput } from "../../lib/input.ts";
import { parseJson } from "../../lib/json.ts";
import { jsonResponse } from "../../lib/response.ts";
import type { Caller, Scope } from "../../model/keys.ts";
import { admit, holderOf } from "../api/admission.ts";
import { invokeData } from "../api/invoke-data.ts";
import {
  type Core,
  type ErrorRenderer,
  type Exchange,
  mediaType,
  type RawRoute,
  readBody,
  toApiError,
} from "../api/kernel.ts";
import { managementAnswers } from "../api/management.ts";
import { olderRoutes, routes } from "../api/table.ts";
import type { Zone } from "../api/zone.ts";
import { inLegacyTerms, toForm } from "./create.ts";
import { parseListQuery } from "./filter.ts";
import { legacyPage } from "./list.ts";
import { LegacyCreate, parameters } from "./schema.ts";

const BODY_LIMIT = 1024 * 1024;

/** Mounts the older API below `legacyBaseUrl`: credential in the header `api_key`, its own shape of success and error. */
export const mountLegacy = (core: Core): Zone => ({
  basePath: core.options.legacyBasePath,
  prefixes: ["/api"],
  routes: legacyRoutes,
  onError: legacyErrors,
  ...managementAnswers(core, { challenge: null, session: false }),
});

const legacyRoutes: readonly RawRoute[] = [
  {
    method: "GET",
    path: "/api/auth",
    async handler(exchange) {
      await callerOf(exchange, keyHeader(exchange), []);
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
      const caller = await callerOf(exchange, key ?? keyAmong(early), ["forms:write"]);
      const body = async () => toForm(parseInput(LegacyCreate, early ?? (await readParameters(exchange.request))));
      try {
        const { endpoint } = await invokeData(exchange.core, olderRoutes.createFormWithWebhooks, caller, { body });
        return done("Created a new form", "Your form was created.", { formUrl: endpoint });
      } catch (error) {
        throw inLegacyTerms(error);
      }
    },
  },
  {
    method: "DELETE",
    path: "/api/form/:form_id",
    async handler(exchange, params) {
      const key = keyHeader(exchange) ?? exchange.url.searchParams.get("apiKey");
      const caller = await callerOf(exchange, key, ["forms:write"]);
      await invokeData(exchange.core, routes.deleteForm, caller, { params });
      return done("Deleted the form", "Your form was deleted.");
    },
  },
  {
    method: "GET",
    path: "/api/form/:form_id/submissions",
    async handler(exchange, params) {
      const caller = await callerOf(exchange, keyHeader(exchange), ["submissions:read"]);
      const query = () => parseListQuery(exchange.url);
      const page = await invokeData(exchange.core, olderRoutes.listNumbered, caller, { params, query });
      return jsonResponse(legacyPage(params["form_id"] ?? "", page));
    },
  },
];

/** Every error of the legacy API. */
const legacyErrors: ErrorRenderer = (thrown, { core, requestId }) => {
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
async function callerOf(exchange: Exchange, key: string | null, scopes: readonly Scope[]): Promise<Caller> {
  if (!key) throw new ApiError("missing_bearer", { message: "Send your API key in the header `api_key`." });
  return admit(exchange, await holderOf(exchange, key), scopes);
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
