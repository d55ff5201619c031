import { type Html, html } from "../../../lib/html.ts";
import { canZip } from "../../../lib/zip.ts";
import { apiParams, type Folder } from "../filters.ts";
import type { MemberRequest } from "../visit.ts";

interface ToolbarOptions {
  /** Null for the list over all forms. */
  readonly form_id: string | null;
  readonly folder: Folder;
}

/** Hidden controls that carry these values along, such as the filter of the page. */
export const hidden = (params: Iterable<readonly [name: string, value: string]>): Html[] =>
  [...params].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);

/** Actions for the submissions of a list. Each button posts the selected ones; "Export" takes all where none is selected. */
export async function toolbar(visit: MemberRequest, { form_id, folder }: ToolbarOptions): Promise<Html> {
  const { t, to, query, has, shows } = visit;
  const l = t.list;
  const act = (action: string, text: string, key: string, kind = ""): Html =>
    html`<button class="button quiet ${kind}" form="bulk" name="action" value="${action}" data-key="${key}">${text}</button>`;
  const filter = apiParams(query);
  const at = form_id === null ? "/all" : `/f/${form_id}`;
  const marks =
    has("submissions:write") &&
    shows("bulk") &&
    folder !== "pending" &&
    html`<label class="pick-all"><input type="checkbox" data-all><span class="sr">${l.selectAll()}</span></label>${
      folder === "trash"
        ? html`${act("restore", t.work.restore(), "z")}${act("delete_forever", t.work.deleteForever(), "", "danger")}`
        : html`${
            folder !== "spam" &&
            html`${query.get("state") === "done" ? act("reopen", t.work.reopen(), "e") : act("done", t.work.doDone(), "e")}${act("mark_read", l.read(), "")}${act("mark_unread", l.unread(), "U")}${act("mark_spam", l.toSpam(), "!")}`
          }${folder !== "inbox" && html`${act("mark_not_spam", l.notSpam(), "!")}${act("deliver", l.notSpamSend(), "")}`}${act("delete", l.delete(), "#", "danger")}`
    }${
      form_id !== null &&
      html`<label class="match"><input type="checkbox" name="all" value="1" form="bulk">${l.selectMatch()}</label>`
    }`;
  const exports = form_id !== null && (await exportControls(visit, form_id, filter));
  if (!marks && !exports) return html``;
  return html`<div class="toolbar" role="group" aria-label="${l.actions()}"><form id="bulk" method="post" action="${to(`${at}/bulk`, filter)}" data-patch></form>${marks}${exports}</div>`;
}

/** The formats of a file, with the one for Excel where the server can write it. */
export const exportFormats = async (): Promise<Html> =>
  html`<option value="csv">CSV</option>${(await canZip()) && html`<option value="xlsx">Excel</option>`}<option value="json">JSON</option><option value="ndjson">NDJSON</option>`;

/** The controls stand in the form of the selection, so that its address gets the ids as well. */
async function exportControls(visit: MemberRequest, form_id: string, filter: URLSearchParams): Promise<Html | null> {
  const { t, to, can, shows } = visit;
  if (!can("export") || !shows("export")) return null;
  const carried = [...filter].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" form="bulk">`,
  );
  return html`<div class="export">${carried}<label class="sr" for="format">${t.list.format()}</label><select id="format" name="format" form="bulk">${await exportFormats()}</select><button class="button quiet" form="bulk" formmethod="get" formaction="${to(`/f/${form_id}/export`)}">${t.list.export()}</button><button class="button quiet" form="bulk" formmethod="get" formaction="${to(`/f/${form_id}/export/columns`)}">${t.export.columns()}</button></div>`;
}
