import type { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import type { Webhook } from "../../../model/webhooks.ts";
import { formatName, titleOf } from "../destinations.ts";
import { faultText } from "../faults.ts";
import { icon } from "../layout/icons.ts";
import { page } from "../layout/page.ts";
import { shortTime } from "../layout/time.ts";
import type { MemberRequest } from "../visit.ts";
import { named } from "./_delivery.ts";
import { formHead, formOf } from "./_form-head.ts";
import { tiles } from "./_webhook-tiles.ts";

/** The webhooks of a form, and the way to one more. */
export async function webhooksScreen(visit: MemberRequest, fault: ApiError | null = null): Promise<Response> {
  const { t, has } = visit;
  const w = t.webhook;
  const form = await formOf(visit);
  const list =
    form.webhooks.length === 0
      ? html`<div class="empty">${icon("tray")}<h2>${w.none()}</h2><p>${w.noneHelp()}</p></div>`
      : table(visit, form);
  const add =
    has("forms:write") && html`<div class="narrow"><h2 class="lead">${w.addTitle()}</h2>${tiles(visit, form.id)}</div>`;
  const said = fault && html`<p class="error" role="alert">${faultText(visit, fault)}</p>`;
  const title = w.title({ form: form.name });
  const content = html`${formHead(visit, form, "webhooks")}${said}${list}${add}`;
  return page(visit, { title, form_id: form.id, content, status: fault?.status ?? 200 });
}

function table(visit: MemberRequest, form: HostForm): Html {
  const { t, to } = visit;
  const w = t.webhook;
  const line = (webhook: Webhook): Html => {
    const { id, url, format = "standard", description, last_delivery } = webhook;
    const title = titleOf(visit, webhook);
    const more = title === url ? description : url;
    return html`<tr data-webhook-id="${id}"><th scope="row" class="where"><a href="${to(`/f/${form.id}/webhooks/${id}`)}"><bdi>${title}</bdi></a>${more !== "" && html` <bdi class="muted">${more}</bdi>`}</th><td>${formatName(visit, format)}</td><td>${stateMark(visit, webhook)}</td><td class="time">${
      last_delivery
        ? html`${named(t.delivery, last_delivery.status)} ${shortTime(visit, last_delivery.at)}`
        : html`<span class="muted">${w.never()}</span>`
    }</td></tr>`;
  };
  return html`<table class="lines"><caption class="sr">${w.caption({ form: form.name })}</caption><thead><tr><th scope="col">${w.url()}</th><th scope="col">${w.format()}</th><th scope="col">${w.state()}</th><th scope="col">${w.last()}</th></tr></thead><tbody>${form.webhooks.map(line)}</tbody></table>`;
}

/** True where the latest delivery did not arrive. */
const isFailing = ({ last_delivery }: Webhook): boolean =>
  last_delivery?.status === "failed" || last_delivery?.status === "retrying";

/** On, paused, or on and failing. */
export function stateMark({ t }: MemberRequest, webhook: Webhook): Html {
  if (!webhook.enabled) return html`<span class="pill">${icon("pause")} ${t.webhook.off()}</span>`;
  if (isFailing(webhook)) return html`<span class="pill bad">${icon("warn")} ${t.webhook.bad()}</span>`;
  return html`<span class="pill ok">${t.webhook.on()}</span>`;
}

/** The only page with the secret: the response to a `POST`, so no address leads back to it. */
export function secretPage(
  visit: MemberRequest,
  form: HostForm,
  { id, url, secret }: { id: string; url: string; secret: string },
): Promise<Response> {
  const { t, to } = visit;
  const w = t.webhook;
  const content = html`<div class="question"><h1>${w.secretTitle()}</h1><p class="muted"><bdi>${url}</bdi></p><p>${w.secretHelp()}</p><pre class="code" tabindex="0" dir="ltr" aria-label="${w.secret()}" data-secret data-copy>${secret}</pre><p class="actions"><a class="button primary" href="${to(`/f/${form.id}/webhooks/${id}`, { made: 1 })}">${w.continue()}</a></p></div>`;
  return page(visit, { title: w.secretTitle(), form_id: form.id, content });
}
