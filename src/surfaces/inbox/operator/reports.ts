import { type Html, html } from "../../../lib/html.ts";
import { shortTime } from "../layout/time.ts";
import type { MemberRequest } from "../visit.ts";
import { enterForm, lockForm, operations, operatorPage, pages, table, teamLink } from "./layout.ts";

/** Forms that visitors or checks reported, newest first. */
export async function reportsScreen(visit: MemberRequest): Promise<Response> {
  const o = visit.t.operator;
  const { data, next_cursor } = await visit.operate(operations.operatorReports, { cursor: visit.query.get("cursor") });
  const rows = data.map(
    ({ id, form_id, team_id, kind, reason, created_at, form }): Html =>
      html`<tr data-report-id="${id}"><th scope="row" class="where"><bdi>${form?.name ?? o.gone()}</bdi> <code class="muted"><bdi>${form_id}</bdi></code>${form?.locked && html` <span class="pill warn">${o.locked()}</span>`}</th><td>${teamLink(visit, team_id)}</td><td class="where">${visit.t.reportedBy[kind]()}: <bdi class="whole">${reason}</bdi></td><td class="time">${shortTime(visit, created_at)}</td><td>${form && enterForm(visit, team_id, `/f/${form_id}`)}</td><td>${form && lockForm(visit, { kind: "form", id: form_id, locked: form.locked !== null, back: "/operator/reports" })}</td></tr>`,
  );
  const columns = [o.form(), o.team(), o.reason(), o.since(), o.enter(), o.lock()];
  return operatorPage(
    visit,
    o.reports(),
    html`${table(o.reports(), columns, rows, o.noReports())}${pages(visit, "/operator/reports", next_cursor)}`,
  );
}

/** Locked forms and teams, oldest first. */
export async function locksScreen(visit: MemberRequest): Promise<Response> {
  const o = visit.t.operator;
  const { data, next_cursor } = await visit.operate(operations.operatorLocks, { cursor: visit.query.get("cursor") });
  const rows = data.map(
    ({ kind, id, name, team_id, reason, at }): Html =>
      html`<tr><th scope="row" class="where">${visit.t.found[kind]()} <bdi>${name}</bdi> <code class="muted"><bdi>${id}</bdi></code></th><td>${teamLink(visit, team_id)}</td><td class="where"><bdi class="whole">${reason}</bdi></td><td class="time">${at !== null && shortTime(visit, at)}</td><td>${lockForm(visit, { kind, id, locked: true, back: "/operator/locks" })}</td></tr>`,
  );
  const columns = [o.what(), o.team(), o.reason(), o.since(), o.unlock()];
  return operatorPage(
    visit,
    o.locks(),
    html`<p class="muted pad">${o.locksHelp()}</p>${table(o.locks(), columns, rows, o.noLocks())}${pages(visit, "/operator/locks", next_cursor)}`,
  );
}
