import { type Html, html } from "../../../lib/html.ts";
import { posted } from "../body.ts";
import { shortTime } from "../layout/time.ts";
import type { MemberRequest } from "../visit.ts";
import { enterForm, operations, operatorPage, table, teamLink } from "./layout.ts";

/** Looks for an id, a name or an address. It is posted, so an address is in no log and no history. */
export async function findScreen(visit: MemberRequest, sought?: string): Promise<Response> {
  const { t, to } = visit;
  const o = t.operator;
  const form = html`<p class="muted pad">${o.findHelp()}</p><form class="choose pad" method="post" action="${to("/operator/find")}"><label class="sr" for="q">${o.sought()}</label><input id="q" type="search" name="q" value="${sought ?? ""}" placeholder="${o.sought()}" maxlength="320" required autocomplete="off" spellcheck="false" dir="auto"><button class="button">${o.find()}</button></form>`;
  if (sought === undefined) return operatorPage(visit, o.find(), form);
  const { data, next_cursor } = await visit.operate(operations.operatorFind, { q: sought });
  const rows = data.map(({ kind, id, name, team_id, form_id, at }): Html => {
    const place = kind === "submission" ? `/f/${form_id}/s/${id}` : kind === "form" ? `/f/${form_id}` : "/";
    return html`<tr><th scope="row">${visit.t.found[kind]()}</th><td class="where"><bdi>${name}</bdi> <code><bdi>${id}</bdi></code></td><td>${team_id !== "" && teamLink(visit, team_id)}</td><td class="time">${shortTime(visit, at)}</td><td>${team_id !== "" && enterForm(visit, team_id, place)}</td></tr>`;
  });
  const more =
    next_cursor !== null && html`<p class="pad"><a href="${to("/operator", { q: sought })}">${o.moreTeams()}</a></p>`;
  const columns = [o.what(), o.id(), o.team(), o.since(), o.enter()];
  return operatorPage(visit, o.find(), html`${form}${table(o.find(), columns, rows, o.notFound())}${more}`);
}

/** Answers what was looked for. */
export async function findAct(visit: MemberRequest): Promise<Response> {
  const body = await posted(visit.exchange.request);
  return findScreen(visit, (body.get("q") ?? "").trim().slice(0, 320));
}
