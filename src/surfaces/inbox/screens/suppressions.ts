import { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { Suppression } from "../../../model/suppressions.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { faultText } from "../faults.ts";
import { icon } from "../layout/icons.ts";
import { noticeCookie } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import { shortTime } from "../layout/time.ts";
import { teamChoice, teamOf } from "../team.ts";
import type { MemberRequest } from "../visit.ts";
import { labelled } from "./_labelled.ts";

const SHOWN = 50;

/** The address that is looked for: it is posted and never in an address bar, a log or a history. */
interface Asked {
  readonly email: string;
  readonly fault?: ApiError;
}

/** The addresses that get no mail of a team, newest first, or one of them. */
export async function suppressionsScreen(visit: MemberRequest, asked?: Asked): Promise<Response> {
  const { t, to, query } = visit;
  const s = t.suppressions;
  const team = await teamOf(visit);
  const cursor = query.get("cursor") ?? undefined;
  const only = asked && !asked.fault && asked.email !== "" ? { email: asked.email } : { cursor };
  const { data, next_cursor } = await visit.call("listSuppressions", {
    query: { team_id: team.id, limit: String(SHOWN), ...only },
  });
  const none = "email" in only ? s.notFound() : s.none();
  const list =
    data.length === 0
      ? html`<div class="empty">${icon("tray")}<h2>${none}</h2><p>${s.noneHelp()}</p></div>`
      : html`<table class="lines"><caption class="sr">${s.title()}</caption><thead><tr>${[s.email(), s.reason(), s.source(), s.since(), s.remove()].map((text) => html`<th scope="col">${text}</th>`)}</tr></thead><tbody>${data.map((one) => line(visit, team.id, one))}</tbody></table>`;
  const pages =
    (cursor !== undefined || "email" in only || next_cursor !== null) &&
    html`<div class="pages">${(cursor !== undefined || "email" in only) && html`<a class="button" href="${to("/suppressions", { team: team.id })}">${icon("back")}${s.all()}</a>`}${
      next_cursor !== null &&
      html`<a class="button" rel="next" href="${to("/suppressions", { team: team.id, cursor: next_cursor })}">${s.older()}${icon("next")}</a>`
    }</div>`;
  const content = html`<div class="head"><h1>${s.title()}</h1>${await teamChoice(visit, "/suppressions", team.id)}</div><p class="muted pad">${s.help()}</p><div class="narrow">${searchForm(visit, team.id, asked)}</div>${list}${pages}`;
  return page(visit, { title: s.title(), content, status: asked?.fault?.status ?? 200 });
}

function searchForm(visit: MemberRequest, team: string, asked: Asked = { email: "" }): Html {
  const s = visit.t.suppressions;
  return html`<form method="post" action="${visit.to("/suppressions", { team })}">${labelled(
    { id: "email", label: s.email(), fault: asked.fault ? faultText(visit, asked.fault) : null },
    (attributes) =>
      html`<input ${attributes} type="email" required maxlength="320" value="${asked.email}" autocomplete="off" spellcheck="false" dir="ltr">`,
  )}<p class="actions"><button class="button" name="action" value="find">${s.find()}</button></p></form>`;
}

function line(visit: MemberRequest, team: string, { email, reason, source, created_at }: Suppression): Html {
  const { t, to } = visit;
  const s = t.suppressions;
  return html`<tr><th scope="row" class="where"><bdi class="whole">${email}</bdi></th><td>${s[reason]()}</td><td><bdi>${source}</bdi></td><td class="time"><span class="tag">${s.since()}: </span>${shortTime(visit, created_at)}</td><td><form method="post" action="${to("/suppressions", { team })}"><input type="hidden" name="email" value="${email}"><button class="button danger" name="action" value="ask" aria-label="${s.removeOf({ email })}">${s.remove()}</button></form></td></tr>`;
}

function question({ t, to, ...visit }: MemberRequest, team: string, { email, reason }: Suppression): Promise<Response> {
  const s = t.suppressions;
  const title = s.removeTitle({ email });
  const help = reason === "complaint" ? s.removeComplaint() : s.removeHelp();
  const content = html`<div class="question"><h1>${title}</h1><p>${help}</p><form method="post" action="${to("/suppressions", { team })}"><input type="hidden" name="email" value="${email}"><p class="actions"><button class="button danger-fill" name="action" value="remove">${s.remove()}</button><a class="button" href="${to("/suppressions", { team })}">${t.bulk.cancel()}</a></p></form></div>`;
  return page({ t, to, ...visit }, { title, content });
}

/** Finds an address, or takes one off the list after a question. */
export async function suppressionsAct(visit: MemberRequest): Promise<Response> {
  const { to, settings, exchange } = visit;
  const body = await posted(exchange.request);
  const { id: team_id } = await teamOf(visit);
  const email = (body.get("email") ?? "").trim().slice(0, 1_000);
  const action = body.get("action");
  try {
    if (action === "remove") {
      await visit.call("releaseAddress", { params: { team_id }, body: { email } });
      return redirect(settings, to("/suppressions", { team: team_id }), noticeCookie(visit, "addressReleased"));
    }
    if (action === "ask") {
      const { data } = await visit.call("listSuppressions", { query: { team_id, email } });
      if (data[0]) return await question(visit, team_id, data[0]);
    }
    return await suppressionsScreen(visit, { email });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.param === "email") return suppressionsScreen(visit, { email, fault: error });
    // Somebody was faster.
    if (error.code === "not_found") return suppressionsScreen(visit, { email });
    throw error;
  }
}
