import { type Html, html } from "../../lib/html.ts";
import { apiParams, type Folder } from "../filters.ts";
import type { Visit } from "../visit.ts";

interface ToolbarOptions {
  readonly form_id: string;
  readonly folder: Folder;
}

/** Hidden controls that carry the filter of the page along. */
export const hidden = (params: URLSearchParams): Html[] =>
  [...params].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);

/** Actions for the submissions of a list. Each button posts the selected ones. */
export function toolbar(visit: Visit, { form_id, folder }: ToolbarOptions): Html {
  const { t, to, query, has } = visit;
  const l = t.list;
  const act = (action: string, text: string, key: string, kind = ""): Html =>
    html`<button class="button quiet ${kind}" form="bulk" name="action" value="${action}" data-key="${key}">${text}</button>`;
  const filter = apiParams(query);
  const marks =
    has("submissions:write") &&
    folder !== "pending" &&
    html`<form id="bulk" method="post" action="${to(`/f/${form_id}/bulk`, filter)}" data-patch></form><label class="pick-all"><input type="checkbox" data-all><span class="sr">${l.selectAll()}</span></label>${
      folder !== "spam" &&
      html`${act("mark_read", l.read(), "e")}${act("mark_unread", l.unread(), "U")}${act("mark_spam", l.toSpam(), "!")}`
    }${folder !== "inbox" && html`${act("mark_not_spam", l.notSpam(), "!")}${act("deliver", l.notSpamSend(), "")}`}${act("delete", l.delete(), "#", "danger")}<label class="match"><input type="checkbox" name="all" value="1" form="bulk">${l.selectMatch()}</label>`;
  return html`<div class="toolbar" role="group" aria-label="${l.actions()}">${marks}${exportForm(visit, form_id, filter)}</div>`;
}

function exportForm(visit: Visit, form_id: string, filter: URLSearchParams): Html | null {
  const { t, to, can, shows } = visit;
  if (!can("export") || !shows("export")) return null;
  return html`<form class="export" action="${to(`/f/${form_id}/export`)}">${hidden(filter)}<label class="sr" for="format">${t.list.format()}</label><select id="format" name="format"><option value="csv">CSV</option><option value="json">JSON</option><option value="ndjson">NDJSON</option></select><button class="button quiet">${t.list.export()}</button></form>`;
}
