import type { ApiError } from "../../../errors.ts";
import { html } from "../../../lib/html.ts";
import { faultText } from "../faults.ts";
import { plainPage } from "../layout/page.ts";
import type { PublicRequest } from "../visit.ts";

/** A page for an error. It tells a stranger nothing that the API does not. */
export function errorScreen(door: PublicRequest, error: ApiError): Response {
  const { t, to, exchange } = door;
  const { title, help } = saidOf(door, error);
  const again = error.status >= 500 || error.status === 429;
  const content = html`<h1>${title}</h1><p>${help}</p><p class="actions">${
    again &&
    html`<a class="button primary" href="${exchange.url.pathname + exchange.url.search}">${t.error.retry()}</a>`
  }<a class="button" href="${to("/")}">${t.error.home()}</a></p>`;
  // The script tries a store that is down again.
  const script = error.status === 503 ? html` data-retry="5"` : null;
  return plainPage(door, {
    title,
    content,
    ...(script && { script }),
    status: error.status,
    headers: { ...error.headers },
  });
}

function saidOf(door: PublicRequest, error: ApiError): { title: string; help: string } {
  const { t, exchange } = door;
  const { status, code, headers } = error;
  const e = t.error;
  const message = faultText(door, error, false);
  if (code === "cross_site_request") return { title: e.forbidden(), help: e.foreign() };
  switch (status) {
    case 401:
    case 404:
    // The address of a button, opened as a page.
    case 405:
      return { title: e.notFound(), help: e.notFoundHelp() };
    case 403:
      return { title: e.forbidden(), help: code === "insufficient_scope" ? e.forbiddenHelp() : message };
    case 429:
      // A limit of an hour has a sentence of its own.
      return { title: e.many(), help: Number(headers?.["retry-after"]) > 60 ? message : e.manyHelp() };
    case 503:
      return { title: e.down(), help: e.downHelp() };
    case 500:
      return { title: e.failed(), help: e.failedHelp({ id: exchange.requestId }) };
    default:
      return { title: e.wrong(), help: message };
  }
}
