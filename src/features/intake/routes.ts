import type { Core } from "../../core/core.ts";
import { mediaType } from "../../core/http/body.ts";
import { limitAddress } from "../../core/http/limits.ts";
import { opened } from "../../core/http/opened.ts";
import type { ErrorRenderer, Exchange, RawRoute } from "../../core/http/route.ts";
import { wantsJson } from "../../core/http/wants-json.ts";
import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { jsonResponse } from "../../lib/response.ts";
import { dressed } from "../forms/dressed.ts";
import { endpointOf } from "../forms/view.ts";
import { endpointPage, thankYouPage } from "../pages/form-pages.ts";
import { facing } from "../teams/face.ts";
import { challengeOf, renderTokenOf } from "./endpoint-tokens.ts";
import { publicFailure } from "./http/failure.ts";
import { wordsFor } from "./language.ts";
import { corsHeaders } from "./origin.ts";
import { availabilityOf } from "./public-availability.ts";
import { byId } from "./routes-addresses.ts";
import { readThanks } from "./thanks.ts";

const PATH = "/f/:form_id";
/** The last two are those of Formspree's own client. */
const ALLOWED_HEADERS =
  "Content-Type, Accept, X-Requested-With, Idempotency-Key, Formspree-Client, Formspree-Session-Data";
const ONLY_POST = { headers: { allow: "POST, OPTIONS" }, message: "This address accepts POST, OPTIONS." };

/** Addresses of a form's endpoint other than posts. */
export const intakeRoutes: readonly RawRoute[] = [
  {
    method: "GET",
    path: PATH,
    unlisted: true,
    async handler(exchange, params) {
      const { core, request } = exchange;
      await limitAddress(exchange);
      const id = params["form_id"] ?? "";
      const form = await core.rows.cached("forms", id);
      if (!form) throw new ApiError("form_not_found");
      if (wantsJson(request.headers, mediaType(request))) throw new ApiError("method_not_allowed", ONLY_POST);
      const words = wordsFor(core, form.value, undefined, request.headers.get("accept-language"));
      const face = await facing(core, form.value.team_id);
      return endpointPage(words, face.options.look, endpointOf(face, id), ONLY_POST.headers);
    },
  },
  {
    method: "GET",
    path: `${PATH}/thanks/:token`,
    async handler(exchange, params) {
      const { core, request } = exchange;
      await limitAddress(exchange);
      const id = params["form_id"] ?? "";
      const form = await core.rows.cached("forms", id);
      if (!form) throw new ApiError("form_not_found");
      const thanks = readThanks(core, id, params["token"] ?? "");
      if (!thanks) throw new ApiError("not_found");
      const header = request.headers.get("accept-language");
      const words = wordsFor(core, form.value, thanks.language, header);
      const face = await facing(core, form.value.team_id);
      const report_url = core.options.abuse.report ? `${endpointOf(face, id)}/report` : null;
      const response = thankYouPage(words, dressed(face, form.value), thanks.page, {
        edit_url: thanks.edit_url,
        report_url,
      });
      // A script that asked for a page is led here across origins.
      for (const [name, value] of Object.entries(corsHeaders(form.value.allowed_origins, request.headers)))
        response.headers.append(name, value);
      return response;
    },
  },
  handed("token", renderTokenOf),
  handed("challenge", challengeOf),
  handed("availability", availabilityOf, { "cache-control": "public, max-age=10" }),
];

/**
 * The preflight of a post with a JSON body. An unknown form gives nothing away. While the form's origins can't be read, any
 * origin is allowed, and then reads that the post is refused.
 */
export async function preflight(
  asked: Exchange,
  named: Readonly<Record<string, string>>,
  methods: string,
): Promise<Response> {
  await limitAddress(asked);
  const { exchange, params } = await byId(asked, named);
  const { core, request } = exchange;
  const id = params["form_id"] ?? "";
  const form = await opened(exchange)
    .then(() => core.rows.cached("forms", id))
    .catch(() => undefined);
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(form?.value.allowed_origins ?? [], request.headers),
      allow: methods,
      "access-control-allow-methods": methods,
      "access-control-allow-headers": ALLOWED_HEADERS,
      "access-control-max-age": form === undefined ? "0" : "86400",
    },
  });
}

/** Other failures below the public addresses, without a known form: a wrong address or method, or a backend that is not open. */
export const publicErrors: ErrorRenderer = (thrown, exchange) => {
  const response = publicFailure(thrown, exchange, null);
  for (const [name, value] of Object.entries(corsHeaders([], exchange.request.headers)))
    response.headers.append(name, value);
  return response;
};

/** Data that a page with the form fetches before it posts, for the same origins as the endpoint; the page can read errors too. */
function handed(
  name: string,
  make: (core: Core, formId: string, exchange: Exchange) => Promise<object>,
  headers: Readonly<Record<string, string>> = {},
): RawRoute {
  return {
    method: "GET",
    path: `${PATH}/${name}`,
    unopened: true,
    async handler(exchange, params) {
      const { core, request } = exchange;
      const id = params["form_id"] ?? "";
      let form = null as Row<"forms"> | null;
      const cors = () => corsHeaders(form?.value.allowed_origins ?? [], request.headers);
      try {
        await opened(exchange);
        // At hand, it costs nothing, and the pages that may read of a refusal are known.
        form = core.rows.known("forms", id);
        await limitAddress(exchange);
        form ??= await core.rows.cached("forms", id);
        const response = jsonResponse(await make(core, id, exchange), 200, { ...headers, ...cors() });
        // A sentence for people is in their language.
        if (exchange.url.searchParams.has("text")) response.headers.append("vary", "accept-language");
        return response;
      } catch (thrown) {
        const response = publicFailure(thrown, exchange, form?.value ?? null, true);
        for (const [name, value] of Object.entries(cors())) response.headers.append(name, value);
        return response;
      }
    },
  };
}
