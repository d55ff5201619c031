import { type Html, html } from "../../../lib/html.ts";
import { operatorOperations } from "../../api/operator-table.ts";
import { icon } from "../layout/icons.ts";
import { page } from "../layout/page.ts";
import type { MemberRequest } from "../visit.ts";

export { operatorOperations as operations };

/** A page of operators, with the list of all of them beside it. */
export function operatorPage(visit: MemberRequest, title: string, content: Html, status = 200): Promise<Response> {
  const o = visit.t.operator;
  const { pathname } = visit.exchange.url;
  const links = [
    ["", o.teams()],
    ["/find", o.find()],
    ["/queue", o.queue()],
    ["/reports", o.reports()],
    ["/locks", o.locks()],
  ] as const;
  const nav = html`<details class="side"><summary>${o.title()}</summary><nav aria-label="${o.title()}"><ul>${links.map(
    ([path, text]) =>
      html`<li><a href="${visit.to(`/operator${path}`)}"${pathname.endsWith(`/operator${path}`) && html` aria-current="page"`}><span class="name">${text}</span></a></li>`,
  )}</ul></nav></details>`;
  return page(visit, { title, content: html`<div class="head"><h1>${title}</h1></div>${content}`, nav, status });
}

/** A table, or the sentence that there is nothing. */
export function table(caption: string, columns: readonly string[], rows: readonly Html[], none: string): Html {
  if (rows.length === 0) return html`<div class="empty">${icon("tray")}<h2>${none}</h2></div>`;
  return html`<table class="lines"><caption class="sr">${caption}</caption><thead><tr>${columns.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`;
}

/** Leads to the next page, and back to the first one. */
export function pages({ t, to, query }: MemberRequest, path: string, next: string | null, more = {}): Html | null {
  if (next === null && !query.has("cursor")) return null;
  const o = t.operator;
  return html`<div class="pages">${query.has("cursor") && html`<a class="button" href="${to(path, more)}">${icon("back")}${o.first()}</a>`}${
    next !== null &&
    html`<a class="button" rel="next" href="${to(path, { ...more, cursor: next })}">${o.more()}${icon("next")}</a>`
  }</div>`;
}

/** A team by its name, which leads to it. */
export const teamLink = ({ to }: MemberRequest, id: string, name = id): Html =>
  html`<a href="${to("/operator/team", { team: id })}"><bdi>${name}</bdi></a>`;

/** The button that goes into a team; `next` is the page there. */
export const enterForm = ({ t, to }: MemberRequest, team_id: string, next = "/"): Html =>
  html`<form method="post" action="${to("/operator/enter")}"><input type="hidden" name="team" value="${team_id}"><input type="hidden" name="next" value="${next}"><button class="button" aria-label="${t.operator.enterTeam({ team: team_id })}">${t.operator.enter()}</button></form>`;

/** Locks or unlocks a form or a team. */
export function lockForm(
  { t, to }: MemberRequest,
  { kind, id, locked, back }: { kind: "form" | "team"; id: string; locked: boolean; back: string },
): Html {
  const o = t.operator;
  const hidden = html`<input type="hidden" name="kind" value="${kind}"><input type="hidden" name="id" value="${id}"><input type="hidden" name="back" value="${back}">`;
  const action = to("/operator/lock");
  if (locked)
    return html`<form method="post" action="${action}">${hidden}<button class="button" name="action" value="unlock">${o.unlock()}</button></form>`;
  return html`<details class="lock"><summary>${o.lock()}</summary><form method="post" action="${action}">${hidden}<label class="sr" for="reason-${id}">${o.reason()}</label><input id="reason-${id}" name="reason" required maxlength="500" placeholder="${o.reason()}" autocomplete="off" dir="auto"><button class="button danger-fill" name="action" value="lock">${o.lock()}</button></form></details>`;
}
