import { type Html, html } from "../../../lib/html.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { apiParams } from "../filters.ts";
import { noticeCookie } from "../layout/notice.ts";
import { teamIdOf } from "../team.ts";
import type { MemberRequest } from "../visit.ts";

/** The form that keeps the list of this address; null where there is no filter to keep. */
export function saveViewForm({ t, to, query, shows }: MemberRequest, form_id: string | null): Html | null {
  const filter = apiParams(query);
  if (!shows("views") || filter.size === 0) return null;
  return html`<details class="more-filters"><summary class="button quiet">${t.views.save()}</summary><form method="post" action="${to("/views")}" class="drop"><input type="hidden" name="form_id" value="${form_id ?? ""}"><input type="hidden" name="query" value="${filter.toString()}"><label>${t.views.name()}<input name="name" required maxlength="128" autocomplete="off" dir="auto"></label><label><input type="checkbox" name="shared" value="1"> ${t.views.shared()}</label><button class="button primary" name="action" value="save">${t.views.keep()}</button></form></details>`;
}

/** Keeps a list, or removes one that was kept. */
export async function viewsAct(visit: MemberRequest): Promise<Response> {
  const { to, settings, exchange } = visit;
  const body = await posted(exchange.request);
  const form_id = body.get("form_id") || null;
  if (body.get("action") === "delete") {
    await visit.call("deleteView", { body: { id: body.get("id") ?? "" } });
    return redirect(settings, to("/"), noticeCookie(visit, "view_deleted"));
  }
  // The parameters that lists know: what a later version has dropped is left out when the view is opened.
  const query = apiParams(new URLSearchParams(body.get("query") ?? ""));
  const form = form_id === null ? null : await visit.call("retrieveForm", { params: { form_id } });
  const team_id = form && "team_id" in form ? form.team_id : teamIdOf(visit);
  await visit.call("saveView", {
    params: { team_id },
    body: {
      name: body.get("name") ?? "",
      form_id,
      query: Object.fromEntries(query),
      shared: body.get("shared") === "1",
    },
  });
  return redirect(settings, to(form_id === null ? "/all" : `/f/${form_id}`, query), noticeCookie(visit, "view_saved"));
}

/** The kept lists, as links of the side bar, each with a button that removes it where it is the person's own. */
export async function viewLinks(visit: MemberRequest): Promise<Html | null> {
  const { t, to, has, shows } = visit;
  if (!has("submissions:read") || !shows("views")) return null;
  const views = await visit.call("listViews");
  if (views.length === 0) return null;
  return html`<h2>${t.views.title()}</h2><ul>${views.map(({ id, name, form_id, query, mine }) => {
    const at = to(form_id === null ? "/all" : `/f/${form_id}`, apiParams(new URLSearchParams(query)));
    return html`<li><a href="${at}"><span class="name"><bdi>${name}</bdi></span></a>${
      mine &&
      html`<form method="post" action="${to("/views")}"><input type="hidden" name="id" value="${id}"><button class="button quiet" name="action" value="delete" aria-label="${t.views.remove({ name })}">×</button></form>`
    }</li>`;
  })}</ul>`;
}
