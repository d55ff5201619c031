import { isBranded } from "../../../lib/brand.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import { redirect } from "../answer.ts";
import { accepts, endpointState, originOfPage } from "../install/check.ts";
import { installFields, type Snippets, snippetsOf } from "../install/snippets.ts";
import { page } from "../layout/page.ts";
import { tabs } from "../layout/tabs.ts";
import type { MemberRequest } from "../visit.ts";
import { formHead, formOf } from "./_form-head.ts";

/** Submissions whose pages are looked at. */
const LATEST = 50;

/** Instructions for using a form: its address, snippets to paste, and what may go wrong. */
export async function installScreen(visit: MemberRequest): Promise<Response> {
  const { t, to } = visit;
  const form = await formOf(visit);
  const { endpoint } = form;
  const fields = installFields(form, await visit.call("listFields", { params: { form_id: form.id } }));
  const snippets: Readonly<Partial<Record<keyof Snippets | "html", string>>> = {
    html: await visit.call("formMarkup", { params: { form_id: form.id }, body: {} }),
    ...snippetsOf(form, fields, isBranded(visit.core.options)),
  };
  const names = Object.keys(snippets) as (keyof typeof snippets)[];
  const shown = names.find((name) => name === visit.query.get("code")) ?? "html";
  const links = names.map((name) => ({
    text: t.install[name](),
    href: to(`/f/${form.id}/install`, name === "html" ? {} : { code: name }),
    current: name === shown,
  }));
  const heading = shown === "html" ? t.install.markup() : t.install[shown]();
  const code = html`<h2>${heading}</h2><pre class="code" tabindex="0" dir="ltr" aria-label="${heading}" data-copy>${snippets[shown] ?? ""}</pre>`;
  const content = html`${formHead(visit, form, "install")}<div class="narrow"><p>${t.install.help()}</p><h2>${t.install.endpoint()}</h2><pre class="code" tabindex="0" dir="ltr" aria-label="${t.install.endpoint()}" data-copy>${endpoint}</pre>${tabs(t.install.code(), links)}${code}${await checks(
    visit,
    form,
  )}<p class="actions"><a class="button primary" href="${to(`/f/${form.id}`)}">${t.install.open()}</a></p></div>`;
  return page(visit, { title: t.install.title({ form: form.name }), form_id: form.id, content });
}

/** The state of the endpoint, and whether a page may post to it. */
async function checks(visit: MemberRequest, form: HostForm): Promise<Html> {
  const { t, to, has, query } = visit;
  const i = t.install;
  const at = to(`/f/${form.id}/install`);
  const typed = query.get("page") ?? "";
  const origin = typed === "" ? null : originOfPage(typed);
  const said = (good: boolean, text: string): Html =>
    html`<p class="${good ? "notice" : "error"}" role="status">${text}</p>`;
  const judged =
    typed === ""
      ? null
      : origin === null
        ? said(false, i.noPage())
        : said(accepts(form, origin), accepts(form, origin) ? i.allowed({ origin }) : i.refused({ origin }));
  return html`<h2>${i.check()}</h2>${!form.active && said(false, i.paused())}${endpointSaid(visit)}${
    has("forms:write") &&
    html`<form method="post" action="${at}"><p class="actions"><button class="button">${i.checkEndpoint()}</button></p></form>`
  }${judged}<form action="${at}"><div class="field"><label for="page">${i.page()}</label><input id="page" name="page" value="${typed}" maxlength="2000" inputmode="url" dir="ltr" autocomplete="off" spellcheck="false" aria-describedby="page-help"><p class="muted" id="page-help">${i.pageHelp()}</p></div><p class="actions"><button class="button">${i.checkPage()}</button></p></form>${await sites(visit, form)}`;
}

function endpointSaid({ t, query }: MemberRequest): Html | null {
  const [state] = /^(ok|none|[1-5]\d\d)$/.exec(query.get("endpoint") ?? "") ?? [];
  if (state === undefined) return null;
  const i = t.install;
  const text = state === "ok" ? i.reached() : state === "none" ? i.unreached() : i.foreign({ status: state });
  return html`<p class="${state === "ok" ? "notice" : "error"}" role="status">${text}</p>`;
}

/** The sites that posted lately, and whether they still may. */
async function sites(visit: MemberRequest, form: HostForm): Promise<Html | null> {
  const { t, has } = visit;
  if (!has("submissions:read")) return null;
  const query = { limit: String(LATEST) };
  const { data } = await visit.call("listSubmissions", { params: { form_id: form.id }, query });
  const origins = new Set(data.flatMap(({ referer }) => (referer ? (originOfPage(referer) ?? []) : [])));
  if (origins.size === 0) return null;
  return html`<h3>${t.install.sites()}</h3><ul>${[...origins]
    .slice(0, 10)
    .map(
      (origin) =>
        html`<li><bdi>${origin}</bdi> – ${accepts(form, origin) ? t.install.siteAllowed() : t.install.siteRefused()}</li>`,
    )}</ul>`;
}

/** Asks the endpoint from outside, and says how it went. */
export async function installAct(visit: MemberRequest): Promise<Response> {
  const form = await formOf(visit);
  const state = await endpointState(form);
  return redirect(
    visit.settings,
    visit.to(`/f/${form.id}/install`, { endpoint: state === null ? "none" : String(state) }),
  );
}
