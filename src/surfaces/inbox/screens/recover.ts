import { DAY_MS, iso } from "../../../lib/clock.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { noticeCookie } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import type { MemberRequest } from "../visit.ts";
import { formHead, formOf } from "./_form-head.ts";

const STATUSES: ("failed" | "skipped")[] = ["failed", "skipped"];

/** A time as a browser's control writes it, in UTC; null if it is invalid. */
function momentOf(text: string | null): string | null {
  const [whole] = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?/.exec(text ?? "") ?? [];
  const at = Date.parse(`${whole}Z`);
  return whole === undefined || Number.isNaN(at) ? null : iso(at);
}

/** Asks since when; then says how many deliveries that are, before anything is sent. */
export async function recoverScreen(visit: MemberRequest): Promise<Response> {
  const { t, query } = visit;
  const r = t.recover;
  const form = await formOf(visit);
  const webhook = form.webhooks.find(({ id }) => id === query.get("webhook"));
  const asked = query.get("since");
  const since = momentOf(asked);
  if (!webhook || since === null) {
    return page(visit, {
      title: r.title(),
      form_id: form.id,
      content: html`${formHead(visit, form, "deliveries")}${question(visit, form, asked !== null && since === null)}`,
    });
  }
  const { count, exact } = await visit.call("countRecoverable", {
    params: { form_id: form.id },
    body: { webhook_id: webhook.id, since, statuses: STATUSES },
  });
  const back = visit.to(`/f/${form.id}/deliveries`, { webhook: webhook.id });
  const cancel = html`<a class="button" href="${back}">${t.bulk.cancel()}</a>`;
  const title = count === 0 ? r.none() : r.ask({ count });
  const ask = html`<p>${r.askHelp({ url: webhook.url })}${!exact && html` ${r.atLeast()}`}</p><form method="post" action="${visit.to(`/f/${form.id}/deliveries/recover`)}"><input type="hidden" name="webhook" value="${webhook.id}"><input type="hidden" name="since" value="${since}"><p class="actions"><button class="button primary">${t.bulk.confirm()}</button>${cancel}</p></form>`;
  const content = html`<div class="question"><h1>${title}</h1>${count === 0 ? html`<p class="actions">${cancel}</p>` : ask}</div>`;
  return page(visit, { title, form_id: form.id, content });
}

function question({ t, to, query, core }: MemberRequest, form: HostForm, wrong: boolean): Html {
  const r = t.recover;
  const yesterday = iso(core.clock.now() - DAY_MS).slice(0, 16);
  const chosen = query.get("webhook");
  return html`<div class="narrow"><h2>${r.title()}</h2><p class="muted">${r.help()}</p><form action="${to(`/f/${form.id}/deliveries/recover`)}"><div class="field"><label for="webhook">${r.webhook()}</label><select id="webhook" name="webhook" required>${form.webhooks.map(
    ({ id, url }) => html`<option value="${id}"${id === chosen && html` selected`}>${url}</option>`,
  )}</select></div><div class="field"><label for="since">${r.since()}</label>${
    wrong && html`<p class="error" id="fault" role="alert">${r.badSince()}</p>`
  }<input id="since" name="since" type="datetime-local" required value="${query.get("since")?.slice(0, 30) ?? yesterday}" aria-describedby="${wrong ? "fault help" : "help"}"${wrong && html` aria-invalid="true"`}><p class="muted" id="help">${r.sinceHelp()}</p></div><p class="actions"><button class="button primary">${t.bulk.continue()}</button></p></form></div>`;
}

/** Sends them again. If there are more than one call can send, it asks for the rest. */
export async function recoverAct(visit: MemberRequest): Promise<Response> {
  const { to, settings, exchange } = visit;
  const form = await formOf(visit);
  const body = await posted(exchange.request);
  const webhook_id = body.get("webhook") ?? "";
  const since = momentOf(body.get("since")) ?? "";
  const { recovered, has_more } = await visit.call("recoverDeliveries", {
    params: { form_id: form.id, webhook_id },
    body: { since, statuses: STATUSES },
  });
  visit.note("recover", { team_id: form.team_id, form_id: form.id, ids: [webhook_id] });
  const next = has_more
    ? to(`/f/${form.id}/deliveries/recover`, { webhook: webhook_id, since })
    : to(`/f/${form.id}/deliveries`, { webhook: webhook_id });
  return redirect(settings, next, noticeCookie(visit, "again", recovered));
}
