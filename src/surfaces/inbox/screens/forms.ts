import { type Html, html } from "../../../lib/html.ts";
import { redirect } from "../answer.ts";
import { icon } from "../layout/icons.ts";
import { page } from "../layout/page.ts";
import { spark } from "../layout/spark.ts";
import { count, shortTime } from "../layout/time.ts";
import { type FormLine, overviewOf } from "../overview.ts";
import type { MemberRequest } from "../visit.ts";
import { quietMark } from "./_quiet.ts";

const PAGE = 100;

/** Every form at a glance. Who has but one is led to its inbox. */
export async function formsScreen(visit: MemberRequest): Promise<Response> {
  const { t, to, query, has, shows, settings } = visit;
  const list = await overviewOf(visit, { limit: PAGE, cursor: query.get("cursor") ?? undefined, days: 30 });
  const creates = has("forms:write") && shows("new") && !visit.member.caller.form_ids;
  const [only] = list.forms;
  if (only && list.forms.length === 1 && visit.exchange.url.search === "" && has("submissions:read")) {
    return redirect(settings, to(`/f/${only.id}`));
  }
  const wanted = query.get("name")?.toLowerCase().slice(0, 200);
  const forms = wanted ? list.forms.filter(({ name }) => name.toLowerCase().includes(wanted)) : list.forms;
  const head = html`<div class="head"><h1>${t.forms.title()}</h1><div class="tools">${
    list.forms.length > 5 &&
    html`<form class="find"><label class="sr" for="name">${t.forms.filter()}</label>${icon("search")}<input id="name" type="search" name="name" value="${query.get("name") ?? ""}" placeholder="${t.forms.filter()}"></form>`
  }${creates && html`<a class="button primary" href="${to("/new")}">${icon("plus")}${t.page.newForm()}</a>`}</div></div>`;
  const content =
    list.forms.length === 0 && !query.has("cursor")
      ? empty(visit, creates)
      : forms.length === 0
        ? html`<p class="empty">${t.forms.filterNone({ q: query.get("name") ?? "" })}</p>`
        : table(visit, forms, list.more);
  return page(visit, { title: t.forms.title(), content: html`${head}${content}` });
}

const empty = ({ t, to }: MemberRequest, creates: boolean): Html =>
  html`<div class="empty">${icon("tray")}<h2>${t.forms.empty()}</h2><p>${creates ? t.forms.emptyHelp() : t.forms.emptyReader()}</p>${
    creates && html`<p><a class="button primary" href="${to("/new")}">${t.forms.create()}</a></p>`
  }</div>`;

function table(visit: MemberRequest, forms: readonly FormLine[], more: string | null): Html {
  const { t, to } = visit;
  const f = t.forms;
  return html`<table class="forms"><caption class="sr">${f.caption()}</caption><thead><tr><th scope="col">${f.name()}</th><th scope="col" class="num">${f.unread()}</th><th scope="col" class="num wide">${f.month()}</th><th scope="col" class="num wide">${f.total()}</th><th scope="col" class="wide">${f.days()}</th><th scope="col" class="num">${f.last()}</th></tr></thead><tbody>${forms.map(
    (form) => line(visit, form),
  )}</tbody></table>${more !== null && html`<p class="pages"><a class="button" href="${to("/", { cursor: more })}">${f.more()}</a></p>`}`;
}

function line(visit: MemberRequest, form: FormLine): Html {
  const { t, to } = visit;
  const sum = form.days.reduce((all, n) => all + n, 0);
  return html`<tr><th scope="row"><a href="${to(`/f/${form.id}`)}"><bdi>${form.name}</bdi></a>${
    !form.active && html` <span class="pill">${icon("pause")} ${t.forms.paused()}</span>`
  }${form.failing && html` <span class="pill warn">${icon("warn")} ${t.forms.failing()}</span>`}${quietMark(visit, form.days, form.active)}</th><td class="num">${
    form.unread > 0 ? html`<span class="badge">${count(visit, form.unread)}</span>` : html`<span class="muted">0</span>`
  }</td><td class="num wide">${count(visit, form.this_month)}</td><td class="num wide">${count(visit, form.all_time)}</td><td class="wide">${spark(form.days, t.forms.spark({ count: sum }))}</td><td class="num">${
    form.last ? shortTime(visit, form.last) : html`<span class="muted">${t.forms.never()}</span>`
  }</td></tr>`;
}
