import { type Html, html } from "../../../lib/html.ts";
import { deliveryStatuses } from "../../../model/collections.ts";
import type { HostForm } from "../../../model/forms.ts";
import { logFilter, logOf } from "../deliveries.ts";
import { icon } from "../layout/icons.ts";
import { page } from "../layout/page.ts";
import type { MemberRequest } from "../visit.ts";
import { deliveryTable, named } from "./_delivery.ts";
import { formHead, formOf } from "./_form-head.ts";

/** The mails and webhooks of a form, or of one webhook. */
export async function deliveriesScreen(visit: MemberRequest): Promise<Response> {
  const { t, to, query } = visit;
  const d = t.delivery;
  const form = await formOf(visit);
  const { rows, older } = await logOf(visit, form);
  const filter = logFilter(visit);
  const isFirst = !query.has("before") && !query.has("cursor");
  const at = (more: Readonly<Record<string, string>>) => to(`/f/${form.id}/deliveries`, { ...filter, ...more });
  const list =
    rows.length === 0 && older === null
      ? empty(visit, filter.webhook === null && filter.status === null)
      : html`${deliveryTable(visit, form, form.id, rows, d.caption({ form: form.name }))}<div class="pages">${
          !isFirst && html`<a class="button" rel="prev" href="${at({})}">${icon("back")}${t.list.newer()}</a>`
        }${older && html`<a class="button" rel="next" href="${at(older)}">${t.list.older()}${icon("next")}</a>`}</div>`;
  const content = html`${formHead(visit, form, "deliveries")}${controls(visit, form)}${list}`;
  return page(visit, { title: d.title({ form: form.name }), form_id: form.id, content });
}

function controls(visit: MemberRequest, form: HostForm): Html {
  const { t, to, has } = visit;
  const d = t.delivery;
  const { webhook, status } = logFilter(visit);
  const option = (value: string, text: string, current: string | null): Html =>
    html`<option value="${value}"${(current ?? "") === value && html` selected`}>${text}</option>`;
  const recover =
    has("forms:write") &&
    form.webhooks.length > 0 &&
    html`<a class="button" href="${to(`/f/${form.id}/deliveries/recover`, { webhook: webhook === "emails" ? null : webhook })}">${t.recover.button()}</a>`;
  return html`<div class="filters"><form action="${to(`/f/${form.id}/deliveries`)}" class="row" aria-label="${d.filter()}"><label class="sr" for="webhook">${d.what()}</label><select id="webhook" name="webhook">${option("", d.all(), webhook)}${option("emails", d.mails(), webhook)}${form.webhooks.map(
    ({ id, url }) => option(id, url, webhook),
  )}</select><label class="sr" for="status">${d.state()}</label><select id="status" name="status">${option("", d.anyState(), status)}${deliveryStatuses.map(
    (one) => option(one, named(d, one), status),
  )}</select><button class="button">${d.show()}</button></form>${recover}</div>`;
}

function empty({ t }: MemberRequest, all: boolean): Html {
  const d = t.delivery;
  return all
    ? html`<div class="empty">${icon("tray")}<h2>${d.none()}</h2><p>${d.noneHelp()}</p></div>`
    : html`<div class="empty">${icon("search")}<h2>${d.noMatch()}</h2></div>`;
}
