import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import type { PendingRecord } from "../../../model/pending.ts";
import { redirect } from "../answer.ts";
import { answerOf, deliveriesOf } from "../deliveries.ts";
import { apiParams } from "../filters.ts";
import { icon } from "../layout/icons.ts";
import { page } from "../layout/page.ts";
import { longTime } from "../layout/time.ts";
import { summaryOf } from "../summary.ts";
import type { MemberRequest } from "../visit.ts";
import { addressText, resultOf, statusMark, timeline } from "./_delivery.ts";
import { formOf } from "./_form-head.ts";
import { messageContent } from "./_message.ts";
import { againForm } from "./delivery.ts";

/**
 * A submission that waits for its sender. Nothing here can confirm it: only its sender can give the consent. A submission that
 * was confirmed meanwhile has its own page.
 */
export async function pendingScreen(visit: MemberRequest): Promise<Response> {
  const { t, to, params, query, settings } = visit;
  const p = t.pending;
  const form = await formOf(visit);
  const id = params["pending_id"] ?? "";
  const pending = await visit.call("retrievePending", { params: { form_id: form.id }, body: { pending_id: id } });
  if (!pending) return redirect(settings, to(`/f/${form.id}/s/${id}`));
  const { submission } = pending;
  visit.note("read", { team_id: form.team_id, form_id: form.id, ids: [id] });
  const from = summaryOf(submission).from || id;
  const at = `/f/${form.id}/pending/${id}`;
  const list = to(`/f/${form.id}`, listed(apiParams(query)));
  const content = html`<article class="item" data-submission-id="${id}"><div class="item-bar"><a class="button quiet" href="${list}" data-key="u">${icon("back")}${p.back()}</a></div><header class="item-head"><h1><bdi>${from}</bdi></h1><p class="muted last"><span class="pill warn">${p.waiting()}</span> ${p.onlySender()}</p></header>${consent(visit, pending)}${await mails(visit, form, id)}${messageContent(visit, { submission, form, at, list })}</article>`;
  return page(visit, {
    title: p.title({ name: from }),
    form_id: form.id,
    content,
    script: html` data-form="${to(`/f/${form.id}`)}"`,
  });
}

function listed(filter: URLSearchParams): URLSearchParams {
  filter.set("status", "pending");
  return filter;
}

/** The sentence that the sender is asked to confirm, and how long that works. */
function consent(
  visit: MemberRequest,
  { consent: { sentence, posted_at, ip }, expires_at }: Pick<PendingRecord, "consent" | "expires_at">,
): Html {
  const { t } = visit;
  const line = (name: string, value: Html): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<section><dl class="details">${line(t.pending.sent(), longTime(visit, posted_at))}${line(
    t.pending.removed(),
    longTime(visit, expires_at),
  )}${line(t.pending.ip(), html`${ip ?? html`<span class="muted">${t.item.unknown()}</span>`}`)}${line(
    t.pending.sentence(),
    html`<span dir="auto">${sentence}</span>`,
  )}</dl></section>`;
}

/** The mails that ask for the confirmation, with the button that sends one again. */
async function mails(visit: MemberRequest, form: HostForm, id: string): Promise<Html> {
  const { t } = visit;
  const rows = (await deliveriesOf(visit, { id, form_id: form.id })).filter(
    ({ value }) => value.kind === "confirmation",
  );
  const parts = await Promise.all(
    rows.map(async (row) => {
      const { value: job } = row;
      const attempted = (job.attempts?.length ?? 0) > 0;
      return html`<li class="delivery" data-delivery-id="${row.id}"><div class="delivery-head"><span class="where">${addressText(visit, form, job)} ${statusMark(visit, job.status)}</span>${againForm(visit, form, row, "pending")}</div>${
        attempted ? timeline(visit, job, (said) => answerOf(visit, job, said)) : html`<p>${resultOf(visit, job)}</p>`
      }</li>`;
    }),
  );
  return html`<section><h2>${t.pending.mail()}</h2>${
    parts.length > 0 ? html`<ul class="deliveries">${parts}</ul>` : html`<p class="muted">${t.pending.noMail()}</p>`
  }</section>`;
}
