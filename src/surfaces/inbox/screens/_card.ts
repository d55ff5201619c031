import { domainOf, sameAddressKey } from "../../../lib/email.ts";
import { type Html, html } from "../../../lib/html.ts";
import { addressIn } from "../../../model/sender.ts";
import type { HostSubmission } from "../../../model/submissions.ts";
import { redirect } from "../answer.ts";
import { cameFrom } from "../filters.ts";
import type { Item } from "../item.ts";
import { countryName } from "../layout/names.ts";
import { noticeCookie } from "../layout/notice.ts";
import { longTime, shortTime } from "../layout/time.ts";
import { summaryOf } from "../summary.ts";
import type { MemberRequest } from "../visit.ts";

/** The card of a sender: the number of submissions from the address, the first one, the last answer, and the latest others. */
export async function cardOf(visit: MemberRequest, item: Item): Promise<Html | null> {
  const { submission, form } = item;
  const { t, has } = visit;
  const { id, form_id, fields, country } = submission;
  const address = addressIn(fields);
  if (address === null || !has("forms:read", "submissions:read")) return null;
  const card = await visit.call("personCard", { params: { form_id }, body: { id } });
  const { people, card: c } = t;
  const row = (name: string, value: Html | string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<section class="card" aria-label="${c.title()}"><h2>${c.title()}</h2><p><bdi>${address}</bdi>${country && html` <span class="muted">${countryName(visit, country)}</span>`}</p>${
    card &&
    html`<dl class="details">${row(people.submissions(), html`${people.found({ count: card.count })}${!card.exact && html` <span class="muted">${c.more()}</span>`}`)}${row(
      c.first(),
      longTime(visit, card.first_at),
    )}${row(c.answered(), card.answered ? html`${longTime(visit, card.answered.at)} <bdi class="muted">${card.answered.by}</bdi>` : c.never())}</dl>${
      card.others.length > 0 &&
      html`<h3>${c.others()}</h3><ul class="latest">${card.others.map((one) => line(visit, one))}</ul>`
    }`
  }${form && everythingFrom(visit, address, form.team_id)}${form && blocking(visit, item, address, form.settings.spam.senders)}</section>`;
}

const line = (visit: MemberRequest, one: HostSubmission): Html =>
  html`<li><a href="${visit.to(`/f/${one.form_id}/s/${one.id}`)}">${shortTime(visit, one.created_at)} <bdi>${summaryOf(one).preview || visit.t.list.noValues()}</bdi></a></li>`;

/** The way to all that came from the same address. It is posted, as it is on the page of people: an address stands in no log. */
function everythingFrom({ t, to, shows }: MemberRequest, address: string, team: string): Html | null {
  if (!shows("people")) return null;
  return html`<form method="post" action="${to("/people", { team })}"><input type="hidden" name="email" value="${address}"><button class="button quiet" name="action" value="find">${t.work.everything({ address })}</button></form>`;
}

/** Buttons that block the sender, or everybody at the sender's domain. */
function blocking(visit: MemberRequest, { at }: Item, address: string, senders: readonly string[]): Html | null {
  const { t, to, can, query } = visit;
  if (!can("block")) return null;
  const domain = domainOf(address);
  const isBlocked = senders.some((one) => one === `@${domain}` || sameAddressKey(one) === sameAddressKey(address));
  const button = (what: Blocking, text: string): Html =>
    html`<button class="button quiet" name="action" value="${what}">${text}</button>`;
  return html`${isBlocked && html`<p class="muted">${t.card.blocked()}</p>`}<form method="post" action="${to(at, cameFrom(query))}">${
    isBlocked
      ? button("unblock", t.card.unblock())
      : html`${button("block", t.card.block())}${button("block_domain", t.card.blockDomain({ domain }))}`
  }</form>`;
}

const blocks = { block: "address", block_domain: "domain", unblock: "none" } as const;
type Blocking = keyof typeof blocks;
export const isBlocking = (name: string | null): name is Blocking => name !== null && Object.hasOwn(blocks, name);

/** Blocks the sender or takes it back, and shows the submission again. */
export async function blockAct(visit: MemberRequest, { submission, at }: Item, act: Blocking): Promise<Response> {
  const { to, settings, query } = visit;
  const { id, form_id } = submission;
  await visit.call("blockSender", { params: { form_id }, body: { id, what: blocks[act] } });
  return redirect(settings, to(at, cameFrom(query)), noticeCookie(visit, act === "unblock" ? act : "block"));
}
