import { readBody } from "../../core/http/body.ts";
import { addressKey, addressOf, limitAddress } from "../../core/http/limits.ts";
import type { RawRoute } from "../../core/http/route.ts";
import { ApiError } from "../../errors.ts";
import { keepReport } from "../forms/reports.ts";
import { endpointOf } from "../forms/view.ts";
import { messagePage } from "../pages/message-page.ts";
import { facing } from "../teams/face.ts";
import { wordsFor } from "./language.ts";

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
    if (method === "GET") {
      const button = { text: send(), action: `${endpointOf(face, id)}/report` };
      return messagePage({ words, look, title: title(), message: text(), button });
    }
    const body = (await readBody(request, MAX_BYTES)).toString();
    await keepReport(core, form, addressKey(addressOf(exchange)), new URLSearchParams(body).get("reason") ?? "");
    return messagePage({ words, look, title: done_title(), message: done_text() });
  },
}));
