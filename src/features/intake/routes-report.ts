import { mediaType, readBody } from "../../core/http/body.ts";
import { addressKey, addressOf, limitAddress } from "../../core/http/limits.ts";
import type { RawRoute } from "../../core/http/route.ts";
import { wantsJson } from "../../core/http/wants-json.ts";
import { ApiError } from "../../errors.ts";
import { parseJson } from "../../lib/json.ts";
import { jsonResponse } from "../../lib/response.ts";
import { keepReport } from "../forms/reports.ts";
import { endpointOf } from "../forms/view.ts";
import { messagePage } from "../pages/message-page.ts";
import { spoken } from "../pages/page.ts";
import { facing } from "../teams/face.ts";
import { wordsFor } from "./language.ts";
import { corsHeaders } from "./origin.ts";

const PATH = "/f/:form_id/report";
const MAX_BYTES = 4_096;

/** Addresses at which a visitor reports a form, where the option `abuse` has them. */
export const reportRoutes: readonly RawRoute[] = (["GET", "POST"] as const).map((method) => ({
  method,
  path: PATH,
  async handler(exchange, params) {
    const { core, request } = exchange;
    await limitAddress(exchange);
    if (!core.options.abuse.report) throw new ApiError("not_found");
    const id = params["form_id"] ?? "";
    const form = await core.rows.cached("forms", id);
    if (!form) throw new ApiError("form_not_found");
    const words = wordsFor(core, form.value, undefined, request.headers.get("accept-language"));
    const face = await facing(core, form.value.team_id);
    const { look } = face.options;
    const { title, text, send, done_title, done_text } = words.report;
    const type = mediaType(request);
    const answer = (said: { title: string; message: string }, button?: { text: string; action: string }): Response =>
      wantsJson(request.headers, type)
        ? jsonResponse({ code: 200, status: "success", ...said }, 200, {
            ...spoken(words),
            ...corsHeaders(form.value.allowed_origins, request.headers),
          })
        : messagePage({ words, look, ...said, ...(button && { button }) });
    if (method === "GET") {
      const button = { text: send(), action: `${endpointOf(face, id)}/report` };
      return answer({ title: title(), message: text() }, button);
    }
    const reason = reasonIn(await readBody(request, MAX_BYTES), type);
    await keepReport(core, form, addressKey(addressOf(exchange)), reason);
    return answer({ title: done_title(), message: done_text() });
  },
}));

/** Throws `invalid_json`. */
function reasonIn(body: Buffer, type: string): string {
  if (type !== "application/json") return new URLSearchParams(body.toString()).get("reason") ?? "";
  const posted = parseJson(body);
  const reason = typeof posted === "object" && posted !== null && "reason" in posted ? posted.reason : "";
  return typeof reason === "string" ? reason : "";
}
