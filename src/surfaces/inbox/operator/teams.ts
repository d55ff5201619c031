import { type Html, html } from "../../../lib/html.ts";
import { count, shortTime } from "../layout/time.ts";
import type { MemberRequest } from "../visit.ts";
import { enterForm, operations, operatorPage, pages, table, teamLink } from "./layout.ts";

/** All teams in pages, or those with a text. */
export async function teamsScreen(visit: MemberRequest): Promise<Response> {
  const { t, to, query } = visit;
  const o = t.operator;
  const q = (query.get("q") ?? "").slice(0, 200);
  const cursor = query.get("cursor");
  const { data, usage, next_cursor } = await visit.operate(operations.operatorTeams, { q, cursor });
  const search = html`<form class="choose pad" action="${to("/operator")}"><label class="sr" for="q">${o.searchTeams()}</label><input id="q" type="search" name="q" value="${q}" placeholder="${o.searchTeams()}" maxlength="200" autocomplete="off" dir="auto"><button class="button">${o.find()}</button></form>`;
  const rows = data.map((team, at): Html => {
    const { accepted = 0, emails = 0, webhooks = 0 } = usage[at] ?? {};
    return html`<tr><th scope="row" class="where">${teamLink(visit, team.id, team.name)}${team.name !== team.id && html` <code class="muted"><bdi>${team.id}</bdi></code>`}</th><td><bdi>${team.plan}</bdi>${!team.active && html` <span class="pill warn">${o.off()}</span>`}${team.locked && html` <span class="pill warn">${o.locked()}</span>`}</td>${[accepted, emails, webhooks].map((n) => html`<td>${count(visit, n)}</td>`)}<td class="time">${shortTime(visit, team.created_at)}</td><td>${enterForm(visit, team.id)}</td></tr>`;
  });
  const columns = [o.team(), o.plan(), o.accepted(), o.emails(), o.webhooks(), o.since(), o.enter()];
  return operatorPage(
    visit,
    o.teams(),
    html`${search}${table(o.teams(), columns, rows, o.none())}${pages(visit, "/operator", next_cursor, q === "" ? {} : { q })}`,
  );
}
