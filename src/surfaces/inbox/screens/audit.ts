import { z } from "zod";
import { type Html, html } from "../../../lib/html.ts";
import { fileResponse } from "../../../lib/response.ts";
import { icon } from "../layout/icons.ts";
import { page } from "../layout/page.ts";
import { longTime } from "../layout/time.ts";
import { teamChoice, teamIdOf } from "../team.ts";
import type { Texts } from "../texts.ts";
import type { Answers, MemberRequest } from "../visit.ts";

type Log = Answers["listAudit"];
type Entry = Log["data"][number];

/** Targets that a line names. */
const NAMED = 3;

/** The formats of the audit as a file. */
const formats = ["csv", "ndjson"] as const;

/** The audit that matches, as a file. */
export async function auditExport(visit: MemberRequest): Promise<Response> {
  const format = formats.find((name) => name === visit.query.get("format")) ?? "csv";
  const params = { team_id: teamIdOf(visit) };
  return fileResponse(await visit.call("exportAudit", { params, body: { ...filterOf(visit), format } }));
}

/** The audit of a team, newest first. */
export async function auditScreen(visit: MemberRequest): Promise<Response> {
  const { t, to, query } = visit;
  const a = t.audit;
  const filter = filterOf(visit);
  const cursor = query.get("cursor");
  const log = await visit.call("listAudit", { params: { team_id: teamIdOf(visit) }, body: { ...filter, cursor } });
  const { team, data, next_cursor: next } = log;
  const at = (more: Readonly<Record<string, string>>): string => to("/audit", { team: team.id, ...filter, ...more });
  const pages =
    (cursor !== null || next !== null) &&
    html`<div class="pages">${cursor !== null && html`<a class="button" href="${at({})}">${icon("back")}${a.newest()}</a>`}${
      next !== null && html`<a class="button" rel="next" href="${at({ cursor: next })}">${a.older()}${icon("next")}</a>`
    }</div>`;
  const list =
    data.length === 0
      ? html`<div class="empty">${icon("tray")}<h2>${a.none()}</h2><p>${a.noneHelp()}</p></div>`
      : table(visit, log);
  const content = html`<div class="head"><h1>${a.title()}</h1>${await teamChoice(visit, "/audit", team.id)}</div><p class="muted pad">${a.help()} ${keptText(visit, team.audit_days)}</p>${filterForm(visit, log, filter)}${list}${pages}${data.length > 0 && exports(visit, team.id, filter)}`;
  return page(visit, { title: a.title(), content });
}

const exports = ({ t, to }: MemberRequest, team: string, filter: Filter): Html =>
  html`<p class="actions">${formats.map(
    (format) =>
      html`<a class="button quiet" href="${to("/audit/export", { team, ...filter, format })}" download>${t.audit.exportAs({ format: format.toUpperCase() })}</a>`,
  )}</p>`;

type Filter = Readonly<Record<"action" | "user" | "form" | "from" | "to", string>>;

const filterOf = ({ query }: MemberRequest): Filter => {
  const text = (name: string): string => (query.get(name) ?? "").slice(0, 200);
  const day = (name: string): string => (z.iso.date().safeParse(text(name)).success ? text(name) : "");
  return { action: text("action"), user: text("user"), form: text("form"), from: day("from"), to: day("to") };
};

function keptText({ t }: MemberRequest, days: number | null): string {
  if (days === null) return t.audit.kept();
  return days === 0 ? t.audit.notKept() : t.audit.keptFor({ count: days });
}

function filterForm(
  { t, to: url }: MemberRequest,
  { team, people }: Log,
  { action, user, form, from, to }: Filter,
): Html {
  const a = t.audit;
  const acts = t.act as Readonly<Record<string, () => string>>;
  const options = (chosen: string, all: readonly (readonly [value: string, text: string])[]): Html =>
    html`${all.map(([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`)}`;
  const choices = [["", a.any()] as const, ...Object.entries(acts).map(([name, say]) => [name, say()] as const)];
  const known = people.map(({ id, name }) => [id, name || id] as const);
  // Somebody who has done nothing lately, from a link or a bookmark.
  const other = user === "" || known.some(([id]) => id === user) ? [] : [[user, user] as const];
  const day = (name: string, label: string, value: string): Html =>
    html`<label>${label}<input type="date" name="${name}" value="${value}"></label>`;
  return html`<form class="choose pad" action="${url("/audit")}"><input type="hidden" name="team" value="${team.id}">${
    form !== "" && html`<input type="hidden" name="form" value="${form}">`
  }<label>${a.person()}<select name="user">${options(user, [["", a.any()], ...known, ...other])}</select></label><label>${a.action()}<select name="action">${options(action, choices)}</select></label>${day("from", t.filter.after(), from)}${day("to", a.to(), to)}<button class="button">${a.show()}</button></form>`;
}

function table(visit: MemberRequest, { team, data }: Log): Html {
  const { t, to } = visit;
  const a = t.audit;
  const line = (entry: Entry): Html => {
    const { id, user_id, user_name, actor, via, action, form_id, form_name, created_at } = entry;
    const who = user_name || (actor === "host" ? a.host() : user_id) || a.sender();
    const everywhere = action === "list" ? html`<span class="muted">${t.page.all()}</span>` : null;
    const form = form_id === null ? null : (form_name ?? t.item.formGone());
    return html`<tr data-audit-id="${id}"><th scope="row" class="where"><bdi>${who}</bdi>${
      user_name !== "" && user_name !== user_id && html` <code class="muted"><bdi>${user_id}</bdi></code>`
    }</th><td>${actionText(t, action)}</td><td>${t.way[via]()}</td><td class="where">${
      form !== null && html`<a href="${to("/audit", { team: team.id, form: form_id })}"><bdi>${form}</bdi></a> `
    }${form === null && everywhere}${targets(visit, entry)}</td><td class="time">${longTime(visit, created_at)}</td></tr>`;
  };
  return html`<table class="lines"><caption class="sr">${a.caption({ team: team.name })}</caption><thead><tr><th scope="col">${a.person()}</th><th scope="col">${a.action()}</th><th scope="col">${a.way()}</th><th scope="col">${a.target()}</th><th scope="col">${a.time()}</th></tr></thead><tbody>${data.map(line)}</tbody></table>`;
}

/** An action in words; one that a later version wrote by its name. */
function actionText({ act }: Texts, action: string): string {
  const words = act as Readonly<Record<string, () => string>>;
  return (Object.hasOwn(words, action) ? words[action]?.() : undefined) ?? action;
}

/** Actions that may apply to all that match a filter. */
const bulk = new Set(["mark_read", "mark_unread", "mark_spam", "mark_not_spam", "deliver", "delete", "export"]);

function targets({ t, to }: MemberRequest, { action, form_id, ids, count: all }: Entry): Html {
  if (ids.length === 0) return bulk.has(action) ? html`<span class="muted">${t.audit.all()}</span>` : html``;
  const isSubmission =
    form_id !== null && (bulk.has(action) || action === "read" || action === "edit") && action !== "delete";
  const shown = ids.slice(0, NAMED).map((id) => {
    const text = html`<code><bdi>${id}</bdi></code>`;
    return isSubmission ? html`<a href="${to(`/f/${form_id}/s/${id}`)}">${text}</a> ` : html`${text} `;
  });
  const rest = all - shown.length;
  return html`${shown}${rest > 0 && html`<span class="muted">${t.audit.more({ count: rest })}</span>`}`;
}
