import { errorResponse, toApiError } from "../../core/http/envelope.ts";
import { limitAddress } from "../../core/http/limits.ts";
import type { ErrorRenderer, RawRoute } from "../../core/http/route.ts";
import { wantsPage } from "../../core/http/wants-json.ts";
import { ApiError } from "../../errors.ts";
import { contentDisposition } from "../../lib/content-disposition.ts";
import { titleIn, toldIn } from "../../texts/locales/_told.ts";
import { messagePage } from "../pages/message-page.ts";
import { isLive } from "./links.ts";
import { openFile } from "./store.ts";

/**
 * Visitors' files, by signed link. Expired, forged and unknown links all get the same 404, which reveals nothing about any
 * file.
 */
export const fileRoute: RawRoute = {
  method: "GET",
  path: "/files/:id(file_\\w+)/:name",
  async handler(exchange, params) {
    const { core, url } = exchange;
    await limitAddress(exchange);
    const { id = "", name = "" } = params;
    const file = isLive(core, id, name, url) ? await openFile(core, id) : null;
    if (!file) throw new ApiError("not_found");
    return new Response(file.body, {
      headers: {
        "content-type": file.record.mime_type,
        // 0 in records that do not know it: no image and no file is empty.
        ...(file.record.size > 0 && { "content-length": String(file.record.size) }),
        "content-disposition": contentDisposition(file.record.name),
        "cache-control": "private",
        // If a browser shows it anyway: it may neither run nor load anything, and has an origin of its own.
        "content-security-policy": "default-src 'none'; sandbox",
        "cross-origin-resource-policy": "same-origin",
        "x-content-type-options": "nosniff",
      },
    });
  },
};

/** Errors of links to files: a page for somebody who follows one from an email, JSON for programs. */
export const fileErrors: ErrorRenderer = (thrown, { core, request, requestId }) => {
  const error = toApiError(thrown, requestId, core.options.logger);
  if (!wantsPage(request.headers)) return errorResponse(error, requestId);
  const words = core.options.languages.choose({ header: request.headers.get("accept-language") });
  return messagePage({
    words,
    look: core.options.look,
    // Most of these links have expired; the response must not tell those that never existed apart.
    title: error.code === "not_found" ? words.confirmation.old_title() : titleIn(words, error.code),
    message: toldIn(words, error).message,
    status: error.status,
    headers: error.headers,
  });
};
