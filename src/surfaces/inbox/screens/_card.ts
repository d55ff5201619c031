import { type Html, html } from "../../../lib/html.ts";
import { addressIn } from "../../../model/sender.ts";
import type { HostSubmission } from "../../../model/submissions.ts";
import type { Item } from "../item.ts";
import { longTime, shortTime } from "../layout/time.ts";
import { summaryOf } from "../summary.ts";
import type { MemberRequest } from "../visit.ts";

/** The card of a sender: the number of submissions from the address, the first one, the last answer, and the latest others. */
export async function cardOf(visit: MemberRequest, { submission, form }: Item): Promise<Html | null> {
  const { t, has } = visit;
  const { id, form_id, fields } = submission;
  const address = addressIn(fields);
  if (address === null || !has("forms:read", "submissions:read")) return null;
  const card = await visit.call("personCard", { params: { form_id }, body: { id } });
  const { people, card: c } = t;
  const row = (name: string, value: Html | string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<section class="card" aria-label="${c.title()}"><h2>${c.title()}</h2><p><bdi>${address}</bdi></p>${
    card &&
    html`<dl class="details">${row(people.submissions(), html`${people.found({ count: card.count })}${!card.exact && html` <span class="muted">${c.more()}</span>`}`)}${row(
      c.first(),
      longTime(visit, card.first_at),
    )}${row(c.answered(), card.answered ? html`${longTime(visit, card.answered.at)} <bdi class="muted">${card.answered.by}</bdi>` : c.never())}</dl>${
      card.others.length > 0 &&
      html`<h3>${c.others()}</h3><ul class="plain">${card.others.map((one) => line(visit, one))}</ul>`
    }`
  }${form && everythingFrom(visit, address, form.team_id)}</section>`;
}

const line = (visit: MemberRequest, one: HostSubmission): Html =>
  html`<li><a href="${visit.to(`/f/${one.form_id}/s/${one.id}`)}">${shortTime(visit, one.created_at)} <bdi>${summaryOf(one).preview || visit.t.list.noValues()}</bdi></a></li>`;

/** The way to all that came from the same address. It is posted, as it is on the page of people: an address stands in no log. */
function everythingFrom({ t, to, shows }: MemberRequest, address: string, team: string): Html | null {
  if (!shows("people")) return null;
  return html`<form method="post" action="${to("/people", { team })}"><input type="hidden" name="email" value="${address}"><button class="button quiet" name="action" value="find">${t.work.everything({ address })}</button></form>`;
}
