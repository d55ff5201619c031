import type { Row } from "../../../core/rows.ts";
import { daysKept } from "../../../features/forms/retention-mark.ts";
import type { Found } from "../../../features/retention/find-subject.ts";
import { DAY_MS, iso } from "../../../lib/clock.ts";
import { type Html, html } from "../../../lib/html.ts";
import { icon } from "../layout/icons.ts";
import { longTime, shortTime } from "../layout/time.ts";
import { summaryOf } from "../summary.ts";
import type { MemberRequest } from "../visit.ts";

/** Submissions of a person that a page shows. */
export const SHOWN = 100;

type Kind = "stored" | "pending" | "passing";

/** The submissions of a person, each with its form and the time when it will be removed. `acts` are the buttons for all of them. */
export async function personTable(visit: MemberRequest, { rows, total, complete }: Found, acts: Html): Promise<Html> {
  const { t, core } = visit;
  const p = t.people;
  const ids = rows.map(({ id }) => id);
  const [forms, stored, pending] = await Promise.all([
    core.rows.many("forms", [...new Set(rows.map(({ value }) => value.form_id))]),
    core.storage.get("submissions", ids),
    core.storage.get("pending_submissions", ids),
  ]);
  const kindOf = (id: string): Kind => (stored.has(id) ? "stored" : pending.has(id) ? "pending" : "passing");
  const head = html`<div class="pad">${acts}</div>${!complete && html`<p class="muted pad">${p.some()}</p>`}`;
  if (total === 0) {
    return html`${head}<div class="empty" role="status">${icon("tray")}<h2>${p.none()}</h2><p>${p.noneHelp()}</p></div>`;
  }
  const lines = rows.map((row) => line(visit, row, forms.get(row.value.form_id) ?? null, kindOf(row.id)));
  return html`<h2 class="pad">${p.found({ count: total })}</h2>${head}<table class="lines"><caption class="sr">${p.caption()}</caption><thead><tr><th scope="col">${p.from()}</th><th scope="col">${p.form()}</th><th scope="col">${p.received()}</th><th scope="col">${p.until()}</th></tr></thead><tbody>${lines}</tbody></table>${
    total > rows.length && html`<p class="muted pad">${p.rest({ count: total - rows.length })}</p>`
  }`;
}

function line(visit: MemberRequest, { id, value }: Row<"submissions">, form: Row<"forms"> | null, kind: Kind): Html {
  const { t, to } = visit;
  const { from, preview } = summaryOf(value);
  const text = html`<bdi>${from || t.list.noValues()}</bdi>`;
  const at = to(`/f/${value.form_id}/${kind === "pending" ? "pending" : "s"}/${id}`);
  return html`<tr data-submission-id="${id}"><th scope="row" class="where">${kind === "passing" ? text : html`<a href="${at}">${text}</a>`} <bdi class="muted">${preview}</bdi></th><td class="where"><bdi>${form?.value.name ?? t.item.formGone()}</bdi></td><td class="time">${shortTime(visit, value.created_at)}</td><td class="muted">${untilOf(visit, value.created_at, form, kind)}</td></tr>`;
}

function untilOf(visit: MemberRequest, created_at: string, form: Row<"forms"> | null, kind: Kind): Html | string {
  const { people } = visit.t;
  if (kind === "pending") return people.waiting();
  if (kind === "passing") return people.going();
  // A deleted form's submissions go when they would have gone with it, which only the sweep knows.
  if (!form) return visit.t.item.unknown();
  const days = daysKept(form.value);
  return days !== null ? longTime(visit, iso(Date.parse(created_at) + days * DAY_MS)) : people.forever();
}
