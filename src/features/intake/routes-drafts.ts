import { mediaType } from "../../core/http/body.ts";
import { readJson } from "../../core/http/json-body.ts";
import { addressKey, addressOf, networkKey } from "../../core/http/limits.ts";
import { opened } from "../../core/http/opened.ts";
import type { Exchange, RawRoute } from "../../core/http/route.ts";
import { wantsJson } from "../../core/http/wants-json.ts";
import type { Row } from "../../core/rows.ts";
import { remove } from "../../core/rows.ts";
import { jsonResponse } from "../../lib/response.ts";
import { endpointOf } from "../forms/view.ts";
import { openForm } from "./accept.ts";
import { draftId, keepDraft, MAX_DRAFT, readDraft } from "./drafts.ts";
import { publicFailure } from "./http/failure.ts";
import { assertOrigin, corsHeaders } from "./origin.ts";

const PATH = "/f/:form_id/drafts/:draft";

/** The addresses of one draft of a form, whose name the page made up. */
type Act = (exchange: Exchange, form: Row<"forms">, id: string) => Promise<Response>;

/** Drafts of a form, for the pages that may post to it. */
export const draftRoutes: readonly RawRoute[] = [
  draftRoute("GET", async ({ core }, _, id) => jsonResponse(await readDraft(core, id))),
  draftRoute("PUT", async (exchange, form, id) => {
    const body = await readJson(exchange.request, MAX_DRAFT);
    await keepDraft(exchange.core, form, id, body, () => limitNewDraft(exchange));
    return done();
  }),
  draftRoute("DELETE", async ({ core }, form, id) => {
    await core.commitTogether([remove("drafts", id)], 200, form.value.team_id);
    return done();
  }),
];

/** Counts a draft that an address begins, and for IPv6 its network. Throws `rate_limited`. */
async function limitNewDraft(exchange: Exchange): Promise<void> {
  const { limits } = exchange.core;
  const ip = addressOf(exchange);
  const address = addressKey(ip);
  const network = networkKey(ip);
  if (address !== null) await limits.take("newDrafts", address);
  if (network !== null) await limits.take("draftNetworks", network);
}

const done = (): Response => new Response(null, { status: 204, headers: { "cache-control": "no-store" } });

function draftRoute(method: "GET" | "PUT" | "DELETE", act: Act): RawRoute {
  return {
    method,
    path: PATH,
    unopened: true,
    async handler(exchange, { form_id = "", draft = "", asked = endpointOf(exchange.core, form_id) }) {
      const { core, request } = exchange;
      let form: Row<"forms"> | null = null;
      try {
        await opened(exchange);
        const address = addressKey(addressOf(exchange));
        if (address !== null) await core.limits.take("drafts", address);
        form = await core.rows.cached("forms", form_id);
        form = await openForm(core, form_id);
        exchange.share.note(form.value.team_id);
        // A reader has to know its name; a page of another origin can't read the response.
        if (method !== "GET") assertOrigin(form.value.allowed_origins, request.headers, asked);
        return withCors(await act(exchange, form, draftId(form, draft)));
      } catch (thrown) {
        const json = method !== "GET" || wantsJson(request.headers, mediaType(request));
        return withCors(publicFailure(thrown, exchange, form?.value ?? null, json));
      }

      function withCors(response: Response): Response {
        const origins = form?.value.allowed_origins ?? [];
        for (const [name, value] of Object.entries(corsHeaders(origins, request.headers)))
          response.headers.append(name, value);
        return response;
      }
    },
  };
}
