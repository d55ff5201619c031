import { type Html, html } from "../../../lib/html.ts";
import { readerOf } from "../../../model/keys.ts";
import { isUnreadBy } from "../../../model/readers.ts";
import type { HostSubmission } from "../../../model/submissions.ts";
import type { Beside } from "../beside.ts";
import { cameFrom } from "../filters.ts";
import type { Item } from "../item.ts";
import { shortTime } from "../layout/time.ts";
import { summaryOf } from "../summary.ts";
import type { MemberRequest } from "../visit.ts";
import { columned } from "./_rows.ts";

/** Characters of a summary: the list is narrow. */
const SHOWN = 80;

/** The list next to an open submission, which wide screens show. The text of the open one stands beside it. */
export function besideList(
  visit: MemberRequest,
  { submission: open, form }: Pick<Item, "submission" | "form">,
  { newer, older }: Beside,
): Html {
  const { t, to, query } = visit;
  const filter = cameFrom(query);
  const shown = columned(visit, form ?? undefined);
  const line = (one: HostSubmission): Html => {
    // A list over all forms has others, too.
    const { from, preview } = one.form_id === form?.id ? shown(one) : summaryOf(one);
    const current = one.id === open.id;
    const unread = isUnreadBy(one, readerOf(visit.member.caller));
    return html`<li><a href="${to(`/f/${one.form_id}/s/${one.id}`, filter)}"${current && html` aria-current="true"`}${unread && html` class="unread"`}><span class="who">${unread && html`<span class="dot" title="${t.list.isUnread()}"><span class="sr">${t.list.isUnread()}: </span></span>`}<bdi>${from || t.list.noValues()}</bdi></span>${shortTime(visit, one.created_at)}${
      !current && html`<bdi class="what">${preview.slice(0, SHOWN)}</bdi>`
    }</a></li>`;
  };
  return html`<nav class="beside" aria-label="${t.beside.title()}"><ul>${[...newer.toReversed(), open, ...older].map(line)}</ul></nav>`;
}
