import type { Core } from "../../core/core.ts";
import { mediaType } from "../../core/http/body.ts";
import { addressOf, limitAddress } from "../../core/http/limits.ts";
import type { Exchange, RawRoute } from "../../core/http/route.ts";
import { wantsJson } from "../../core/http/wants-json.ts";
import { ApiError, errors } from "../../errors.ts";
import { jsonResponse } from "../../lib/response.ts";
import { readOptIn } from "../mail/opt-in-link.ts";
import { messagePage } from "../pages/message-page.ts";
import { spoken } from "../pages/page.ts";
import { facing } from "../teams/face.ts";
import { confirm, type OptInState, optInState } from "./confirm.ts";
import { corsHeaders } from "./origin.ts";

const PATH = "/c/:token";

/**
 * The target of a mail's link for confirming a form's submission. Opening it changes nothing, because mail scanners open it
 * too.
 */
export const consentRoutes: readonly RawRoute[] = [
  { method: "GET", path: PATH, handler: (exchange, params) => answer(exchange, params["token"] ?? "", false) },
  { method: "POST", path: PATH, handler: (exchange, params) => answer(exchange, params["token"] ?? "", true) },
];

async function answer(exchange: Exchange, token: string, confirms: boolean): Promise<Response> {
  const { core, request, requestId } = exchange;
  const header = request.headers.get("accept-language");
  const json = wantsJson(request.headers, mediaType(request));
  await limitAddress(exchange);
  const link = readOptIn(core, token);
  const state: OptInState = !link
    ? { is: "unknown" }
    : confirms
      ? await confirm(core, link, addressOf(exchange))
      : await optInState(core, link);
  if (json && state.is === "unknown") throw new ApiError("not_found");
  const face = state.is === "waiting" ? await facing(core, state.form.value.team_id) : core;
  const { look } = face.options;
  const { words, status, title, message } = said(core, state, header);
  if (json) {
    const headers = { ...spoken(words), ...corsHeaders([], request.headers) };
    return jsonResponse(shapeOf(status, title, message, requestId), status, headers);
  }
  const action = `${face.options.baseUrl}/c/${token}`;
  const button = state.is === "waiting" ? { text: words.confirmation.confirm(), action } : undefined;
  return messagePage({ words, look, title, message, status, ...(button && { button }) });
}

/** The JSON for a script in place of the page, in the shape of all public addresses. */
function shapeOf(code: number, title: string, message: string, request_id: string): object {
  if (code === 200) return { code, status: "success", title, message };
  const { type } = errors.not_found;
  return { code, status: "error", title, message, errors: {}, error: { type, code: "not_found", message, request_id } };
}

function said({ options }: Core, state: OptInState, header: string | null) {
  // The page is in the language of the mail, because it shows the same sentence.
  const wishes =
    state.is === "waiting"
      ? { form: state.form.value.settings.language, field: state.pending.value.language ?? "en" }
      : state.is === "done" && state.language !== null
        ? { field: state.language }
        : {};
  const words = options.languages.choose({ ...wishes, header });
  const { opt_in, confirmation, defaults } = words;
  switch (state.is) {
    case "waiting":
      return { words, status: 200, title: defaults.opt_in_subject(), message: state.pending.value.consent.sentence };
    case "done":
      return { words, status: 200, title: confirmation.done_title(), message: opt_in.done() };
    case "late":
      return { words, status: 410, title: confirmation.old_title(), message: opt_in.late() };
    case "unknown":
      return { words, status: 404, title: confirmation.invalid_title(), message: confirmation.invalid_text() };
  }
}
