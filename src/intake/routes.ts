import { type Core, find } from "../core.ts";
import type { Stored } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import type { FormRecord } from "../forms/schema.ts";
import { endpointOf } from "../forms/view.ts";
import { bodyStream, mediaType, parseJson, readBody, UPLOAD_PACE } from "../http/body.ts";
import { errorBody, toApiError } from "../http/envelope.ts";
import { addressKey, addressOf, limitPost } from "../http/limits.ts";
import type { Exchange, RawRoute } from "../http/route.ts";
import { clientIp } from "../lib/client-ip.ts";
import { jsonResponse } from "../lib/response.ts";
import { endpointPage } from "../pages/form-pages.ts";
import { accept, openForm } from "./accept.ts";
import { countryOf } from "./country.ts";
import { collectFields } from "./fields.ts";
import { challengeOf, renderTokenOf } from "./handouts.ts";
import { assertOrigin, corsHeaders, nextUrl, originOf, pageOf } from "./origin.ts";
import { endpointFor, rememberedPage } from "./page-link.ts";
import { type BodySource, parsePost } from "./parse.ts";
import { failure, success, wantsJson } from "./respond.ts";
import { openUploads, type Uploads } from "./uploads.ts";

const PATH = "/f/:form_id";

/** The public endpoint of every form. */
export const intakeRoutes: readonly RawRoute[] = [
  { method: "POST", path: PATH, handler: (exchange, params) => observed(exchange, params["form_id"] ?? "") },
  {
    method: "GET",
    path: PATH,
    unlisted: true,
    async handler({ core }, params) {
      const id = params["form_id"] ?? "";
      const form = await core.cached.forms.get(id, () => find<FormRecord>(core, "forms", id));
      if (!form) throw new ApiError("form_not_found");
      return endpointPage(endpointOf(core, id), { allow: "POST, OPTIONS" });
    },
  },
  { method: "GET", path: `${PATH}/token`, handler: (exchange, params) => hand(exchange, params, renderTokenOf) },
  { method: "GET", path: `${PATH}/challenge`, handler: (exchange, params) => hand(exchange, params, challengeOf) },
];

/** What a browser asks before a post with a JSON body. A form that does not exist says nothing of itself here. */
export async function preflight(
  { core, request, url }: Exchange,
  params: Readonly<Record<string, string>>,
): Promise<Response> {
  const id = params["form_id"] ?? "";
  const form = await core.cached.forms.get(id, () => find<FormRecord>(core, "forms", id));
  const methods = /\/(token|challenge)$/.test(url.pathname) ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(form?.value.allowed_origins ?? [], request.headers),
      allow: methods,
      "access-control-allow-methods": methods,
      "access-control-allow-headers": "Content-Type, Accept, X-Requested-With, Idempotency-Key",
      "access-control-max-age": "86400",
    },
  });
}

/** What a page with the form fetches before it posts, for the same origins as the endpoint; an error too is for the page to read. */
async function hand(
  exchange: Exchange,
  params: Readonly<Record<string, string>>,
  make: (core: Core, formId: string) => Promise<object>,
): Promise<Response> {
  const { core, request, requestId } = exchange;
  const id = params["form_id"] ?? "";
  const form = await core.cached.forms.get(id, () => find<FormRecord>(core, "forms", id)).catch(() => null);
  const cors = corsHeaders(form?.value.allowed_origins ?? [], request.headers);
  try {
    const address = addressKey(addressOf(exchange));
    if (address !== null) await core.limits.take("perIp", address);
    return jsonResponse(await make(core, id), 200, cors);
  } catch (thrown) {
    const error = toApiError(thrown, requestId, core.options.logger);
    return jsonResponse(errorBody(error, requestId), error.status, { ...error.headers, ...cors });
  }
}

const observed = (exchange: Exchange, form_id: string): Promise<Response> =>
  exchange.core.telemetry.span(
    "form_backend.post",
    { form_id, request_id: exchange.requestId },
    () => receive(exchange, form_id),
    ({ status }) => ({ attributes: { http_status: status }, failed: status >= 500 }),
  );

async function receive(exchange: Exchange, id: string): Promise<Response> {
  const { core, request, requestId, info } = exchange;
  const { headers } = request;
  const type = mediaType(request);
  const json = wantsJson(headers, type);
  const endpoint = endpointOf(core, id);
  const from = pageOf(headers);
  // From our own error page the way leads back to where the visitor really came from.
  const page = from === null || from.startsWith(endpoint) ? rememberedPage(core, exchange.url) : from;
  let form: Stored<FormRecord> | null = null;
  const collected = collectFields();
  let uploads: Uploads | null = null;
  try {
    form = await core.cached.forms.get(id, () => find<FormRecord>(core, "forms", id));
    form = await openForm(core, id);
    assertOrigin(form.value.allowed_origins, headers, endpoint);
    await limitPost(exchange, id);
    uploads = await openUploads(core, form);
    const source: BodySource = {
      mediaType: type,
      contentType: headers.get("content-type") ?? "",
      bytes: (limit) => readBody(request, limit),
      json: parseJson,
      stream: () => bodyStream(request, UPLOAD_PACE),
    };
    const posted = await parsePost(source, collected, uploads);
    const ip = clientIp(info.ip, headers.get("x-forwarded-for"), core.options.trustProxy);
    const visitor = {
      ip,
      country: await countryOf(core, ip, headers),
      user_agent: headers.get("user-agent")?.slice(0, 1024) ?? null,
      referer: page?.slice(0, 2048) ?? null,
    };
    const key = unquoted(headers.get("idempotency-key") ?? "") || unquoted(posted.special._idempotency_key ?? "");
    const accepted = await accept(core, form, posted, visitor, key);
    // A page may keep its path to itself; its origin comes along all the same.
    const whence = page ?? originOf(headers);
    const next = nextUrl(posted.special._next, whence, form.value.allowed_origins, core.options.baseUrl);
    return withCors(
      success({ json, form: form.value, submission_id: accepted.id, fields: accepted.submission.fields, next, page }),
    );
  } catch (thrown) {
    const error = toApiError(thrown, requestId, core.options.logger);
    // Also of a post that was refused half-way: what had arrived by then is shown again.
    const { fields, special, captcha } = collected.done();
    const hidden = [...Object.entries(special), ...captcha].map(([key, value]) => ({ key, value }));
    return withCors(
      failure(error, {
        json,
        form: form?.value ?? null,
        requestId,
        endpoint: endpointFor(core, endpoint, page),
        fields,
        hidden,
        files: [...(uploads?.inputs ?? [])].map(([key, count]) => ({ key, count })),
        page,
      }),
    );
  } finally {
    await uploads?.close();
  }

  function withCors(response: Response): Response {
    for (const [name, value] of Object.entries(corsHeaders(form?.value.allowed_origins ?? [], headers)))
      response.headers.set(name, value);
    return response;
  }
}

/** The header is a structured string, `"…"`; bare keys are common and taken as they are. */
const unquoted = (key: string): string => /^"(.*)"$/.exec(key)?.[1] ?? key;
