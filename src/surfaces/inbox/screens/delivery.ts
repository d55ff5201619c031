import { type Html, html } from "../../../lib/html.ts";
import type { Difference, LoggedDelivery } from "../../../model/deliveries.ts";
import type { HostForm } from "../../../model/forms.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { answerOf, deliveryOf, type JobRow } from "../deliveries.ts";
import { icon } from "../layout/icons.ts";
import { noticeCookie } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import { longTime } from "../layout/time.ts";
import type { MemberRequest } from "../visit.ts";
import { addressText, named, resultOf, statusMark, timeline } from "./_delivery.ts";
import { exactSection } from "./_delivery-request.ts";
import { formOf } from "./_form-head.ts";

/** Characters of a field's name that a line shows. */
const SHOWN = 200;

/** One delivery: every attempt, the request and the response. */
export async function deliveryScreen(visit: MemberRequest): Promise<Response> {
  const { t, to } = visit;
  const d = t.delivery;
  const form = await formOf(visit);
  const row = await deliveryOf(visit, form);
  const { value: job } = row;
  const title = d.one({ kind: named(d, job.kind), state: named(d, job.status) });
  // Its bytes are what the receiver got, with every value.
  const shows = job.kind === "webhook" && visit.redactor === null;
  const asked = { params: { form_id: form.id }, body: { job_id: row.id } };
  const request = shows ? await visit.call("showDeliveryRequest", asked) : null;
  if (request) visit.note("read", { team_id: form.team_id, form_id: form.id, ids: [job.submission_id] });
  const masked = form.webhooks.some(({ id, url }) => id === job.target && url.includes("…"));
  const content = html`<article class="item"><div class="item-bar"><a class="button quiet" href="${to(`/f/${form.id}/deliveries`)}">${icon("back")}${d.back()}</a></div><header class="item-head"><h1>${title}</h1><p class="muted">${addressText(visit, form, job)}</p><div class="acts">${againForm(visit, form, row)}</div></header>${facts(visit, form, row)}<section><h2>${d.timeline()}</h2>${timeline(visit, job, (said) => answerOf(visit, job, said))}</section>${differenceSection(visit, await visit.call("compareDelivery", asked))}${
    shows && exactSection(visit, request, masked)
  }</article>`;
  return page(visit, { title, form_id: form.id, content });
}

/** What a delivery that failed has other than those that arrived, before somebody sends it again. */
function differenceSection({ t }: MemberRequest, found: Difference | null): Html | null {
  if (!found) return null;
  const d = t.difference;
  const { of, missing, added } = found;
  const lines = [
    ...missing.map((field) => d.missing({ field: field.slice(0, SHOWN) })),
    ...added.map((field) => d.added({ field: field.slice(0, SHOWN) })),
  ];
  return html`<section><h2>${d.title()}</h2><p class="muted">${lines.length === 0 ? d.same({ count: of }) : d.other({ count: of })}</p>${
    lines.length > 0 && html`<ul class="differs">${lines.map((line) => html`<li>${line}</li>`)}</ul>`
  }</section>`;
}

function facts(visit: MemberRequest, form: HostForm, { id, value: job }: LoggedDelivery): Html {
  const { t, to } = visit;
  const d = t.delivery;
  const line = (name: string, value: Html | string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const said = answerOf(visit, job);
  // Of a mail that was sent, the state says it all.
  const saysMore = job.http_status !== undefined || (job.code !== "SUCCESS" && job.code !== "PENDING");
  return html`<section><dl class="details">${line(d.state(), statusMark(visit, job.status))}${saysMore && line(d.result(), resultOf(visit, job))}${
    said !== null && line(d.message(), html`<span dir="auto">${said}</span>`)
  }${line(d.attempts(), String(job.attempt))}${
    job.due_at !== null && line(d.next(), longTime(visit, job.due_at))
  }${job.submission_id !== "" && line(d.submission(), html`<a href="${to(`/f/${form.id}/${job.kind === "confirmation" ? "pending" : "s"}/${job.submission_id}`)}">${d.openSubmission()}</a>`)}${line(d.id(), html`<code>${id}</code>`)}</dl></section>`;
}

/** The button that has a delivery sent again, where the person may and it can be. */
export function againForm({ t, to }: MemberRequest, form: HostForm, { id, again }: JobRow, from = ""): Html | null {
  if (!again) return null;
  return html`<form method="post" action="${to(`/f/${form.id}/deliveries/${id}`)}" data-patch><input type="hidden" name="from" value="${from}"><button class="button" title="${t.delivery.againHelp()}">${t.delivery.again()}</button></form>`;
}

/** Has a delivery sent again, and leads back to where the button was. */
export async function deliveryAct(visit: MemberRequest): Promise<Response> {
  const { to, settings, exchange } = visit;
  const form = await formOf(visit);
  const { id, value: job } = await deliveryOf(visit, form);
  const { submission_id } = job;
  const body = await posted(exchange.request);
  if (job.kind === "webhook") {
    await visit.call("redeliver", { params: { form_id: form.id, webhook_id: job.target, submission_id } });
  } else {
    await visit.call("resendEmail", { params: { form_id: form.id, email_id: id } });
  }
  visit.note("send_again", { team_id: form.team_id, form_id: form.id, ids: [id] });
  const from = body.get("from");
  const back =
    from === "submission"
      ? to(`/f/${form.id}/s/${submission_id}`, { tab: "delivery" })
      : to(`/f/${form.id}/${from === "pending" ? `pending/${submission_id}` : `deliveries/${id}`}`);
  return redirect(settings, back, noticeCookie(visit, "again"));
}
