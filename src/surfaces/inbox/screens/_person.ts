import { type Html, html } from "../../../lib/html.ts";
import { icon } from "../layout/icons.ts";
import { longTime, shortTime } from "../layout/time.ts";
import { summaryOf } from "../summary.ts";
import type { Answers, MemberRequest } from "../visit.ts";

type Found = Answers["findPerson"];
type Entry = Found["data"][number];

/**
 * The history of a person: what came, the newest first, each with its form and, where a form does not keep it for good, the time of its
 * removal. `acts` are the buttons for all of it.
 */
export function personTable(visit: MemberRequest, { data, total, complete }: Found, acts: Html): Html {
  const p = visit.t.people;
  const head = html`<div class="pad">${acts}</div>${!complete && html`<p class="muted pad">${p.some()}</p>`}`;
  if (total === 0) {
    return html`${head}<div class="empty" role="status">${icon("tray")}<h2>${p.none()}</h2><p>${p.noneHelp()}</p></div>`;
  }
  const newest = data.toSorted((a, b) => b.record.created_at.localeCompare(a.record.created_at));
  const ends = data.some(({ end }) => end !== "never");
  return html`<h2 class="pad">${p.found({ count: total })}</h2>${head}<table class="lines"><caption class="sr">${p.caption()}</caption><thead><tr><th scope="col">${p.from()}</th><th scope="col">${p.form()}</th><th scope="col">${p.received()}</th>${ends && html`<th scope="col">${p.until()}</th>`}</tr></thead><tbody>${newest.map((entry) => line(visit, entry, ends))}</tbody></table>${total > data.length && html`<p class="muted pad">${p.rest({ count: total - data.length })}</p>`}`;
}

function line(visit: MemberRequest, { id, record, form_name, end }: Entry, ends: boolean): Html {
  const { t, to } = visit;
  const { from, preview } = summaryOf(record);
  const text = html`<bdi>${from || t.list.noValues()}</bdi>`;
  const at = to(`/f/${record.form_id}/${end === "pending" ? "pending" : "s"}/${id}`);
  return html`<tr data-submission-id="${id}"><th scope="row" class="where">${end === "passing" ? text : html`<a href="${at}">${text}</a>`} <bdi class="muted">${preview}</bdi></th><td class="where"><bdi>${form_name ?? t.item.formGone()}</bdi></td><td class="time">${shortTime(visit, record.created_at)}</td>${ends && html`<td class="muted">${endText(visit, end)}</td>`}</tr>`;
}

function endText(visit: MemberRequest, end: Entry["end"]): Html | string {
  const { people, item } = visit.t;
  if (typeof end === "object") return longTime(visit, end.at);
  return {
    never: people.forever(),
    unknown: item.unknown(),
    pending: people.waiting(),
    passing: people.going(),
  }[end];
}
