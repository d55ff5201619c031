import { takeScan } from "../../../core/fairness/scans.ts";
import type { Row } from "../../../core/rows.ts";
import type { Condition, Stored } from "../../../drivers/storage/types.ts";
import { planOf } from "../../../features/teams/service.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { TeamRecord } from "../../../model/teams.ts";
import { icon } from "../layout/icons.ts";
import { page } from "../layout/page.ts";
import { longTime } from "../layout/time.ts";
import { teamChoice, teamOf } from "../team.ts";
import type { Texts } from "../texts.ts";
import type { MemberRequest } from "../visit.ts";

const PAGE = 50;
/** Targets that a line names. */
const NAMED = 3;

/** What people did in a team's inbox, newest first. */
export async function auditScreen(visit: MemberRequest): Promise<Response> {
  const { t, to, core, query, member } = visit;
  const a = t.audit;
  const team = await teamOf(visit, query.get("team"));
  const filter = filterOf(visit);
  const about = JSON.stringify([team.id, filter]);
  const cursor = query.get("cursor");
  const where = conditionsOf(filter);
  // A filter may read all entries to find a few.
  const release = takeScan(core, member.caller, where.length > 0 ? "filtered" : null);
  const { rows, next } = await core.rows
    .page("audit", {
      partitions: [{ index: "team", equals: { team_id: team.id } }],
      where,
      order: "desc",
      limit: PAGE,
      ...(cursor !== null && { after: core.cursors.read(cursor, about) }),
    })
    .finally(release);
  const at = (more: Readonly<Record<string, string>>): string => to("/audit", { team: team.id, ...filter, ...more });
  const pages =
    (cursor !== null || next) &&
    html`<div class="pages">${cursor !== null && html`<a class="button" href="${at({})}">${icon("back")}${a.newest()}</a>`}${
      next &&
      html`<a class="button" rel="next" href="${at({ cursor: core.cursors.issue(next, about) })}">${a.older()}${icon("next")}</a>`
    }</div>`;
  const list =
    rows.length === 0
      ? html`<div class="empty">${icon("tray")}<h2>${a.none()}</h2><p>${a.noneHelp()}</p></div>`
      : await table(visit, team, rows);
  const content = html`<div class="head"><h1>${a.title()}</h1>${await teamChoice(visit, "/audit", team.id)}</div><p class="muted pad">${a.help()} ${keptText(visit, team)}</p>${filterForm(visit, team.id, filter)}${list}${pages}`;
  return page(visit, { title: a.title(), content });
}

interface Filter {
  readonly action: string;
  readonly user: string;
  readonly form: string;
}

const filterOf = ({ query }: MemberRequest): Filter & Readonly<Record<string, string>> => {
  const text = (name: string): string => (query.get(name) ?? "").slice(0, 200);
  return { action: text("action"), user: text("user"), form: text("form") };
};

const conditionsOf = ({ action, user, form }: Filter): Condition[] =>
  (
    [
      ["action", action],
      ["user_id", user],
      ["form_id", form],
    ] as const
  ).flatMap(([column, value]) => (value === "" ? [] : [{ column, op: "in", value: [value] } as const]));

function keptText({ t, core }: MemberRequest, { value }: Stored<TeamRecord>): string {
  const days = planOf(core, value).audit_days;
  if (days === null) return t.audit.kept();
  return days === 0 ? t.audit.notKept() : t.audit.keptFor({ count: days });
}

function filterForm({ t, to }: MemberRequest, team: string, { action, user, form }: Filter): Html {
  const a = t.audit;
  const acts = t.act as Readonly<Record<string, () => string>>;
  const choices = [["", a.any()] as const, ...Object.entries(acts).map(([name, say]) => [name, say()] as const)];
  return html`<form class="choose pad" action="${to("/audit")}"><input type="hidden" name="team" value="${team}">${
    form !== "" && html`<input type="hidden" name="form" value="${form}">`
  }<label class="sr" for="action">${a.action()}</label><select id="action" name="action">${choices.map(
    ([value, text]) => html`<option value="${value}"${value === action && html` selected`}>${text}</option>`,
  )}</select><label class="sr" for="user">${a.user()}</label><input id="user" name="user" value="${user}" placeholder="${a.user()}" maxlength="200" autocomplete="off" dir="auto"><button class="button">${a.show()}</button></form>`;
}

async function table(visit: MemberRequest, team: Stored<TeamRecord>, rows: readonly Row<"audit">[]): Promise<Html> {
  const { t, to, core } = visit;
  const a = t.audit;
  const forms = await core.rows.many("forms", [...new Set(rows.flatMap(({ value }) => value.form_id ?? []))]);
  const line = ({ id, value }: Row<"audit">): Html => {
    const { user_id, user_name, action, form_id, created_at } = value;
    const everywhere = action === "list" ? html`<span class="muted">${t.page.all()}</span>` : null;
    const form = form_id === null ? null : (forms.get(form_id)?.value.name ?? t.item.formGone());
    return html`<tr data-audit-id="${id}"><th scope="row" class="where"><bdi>${user_name || user_id}</bdi>${
      user_name !== "" && user_name !== user_id && html` <code class="muted"><bdi>${user_id}</bdi></code>`
    }</th><td>${actionText(t, action)}</td><td class="where">${
      form !== null && html`<a href="${to("/audit", { team: team.id, form: form_id })}"><bdi>${form}</bdi></a> `
    }${form === null && everywhere}${targets(visit, value)}</td><td class="time">${longTime(visit, created_at)}</td></tr>`;
  };
  return html`<table class="lines"><caption class="sr">${a.caption({ team: team.value.name })}</caption><thead><tr><th scope="col">${a.person()}</th><th scope="col">${a.action()}</th><th scope="col">${a.target()}</th><th scope="col">${a.time()}</th></tr></thead><tbody>${rows.map(line)}</tbody></table>`;
}

/** An action in words; one that a later version wrote by its name. */
function actionText({ act }: Texts, action: string): string {
  const words = act as Readonly<Record<string, () => string>>;
  return (Object.hasOwn(words, action) ? words[action]?.() : undefined) ?? action;
}

/** Actions that may apply to all that match a filter. */
const bulk = new Set(["mark_read", "mark_unread", "mark_spam", "mark_not_spam", "deliver", "delete", "export"]);

function targets({ t, to }: MemberRequest, { action, form_id, ids, count: all }: Row<"audit">["value"]): Html {
  if (ids.length === 0) return bulk.has(action) ? html`<span class="muted">${t.audit.all()}</span>` : html``;
  const isSubmission = form_id !== null && (bulk.has(action) || action === "read") && action !== "delete";
  const shown = ids.slice(0, NAMED).map((id) => {
    const text = html`<code><bdi>${id}</bdi></code>`;
    return isSubmission ? html`<a href="${to(`/f/${form_id}/s/${id}`)}">${text}</a> ` : html`${text} `;
  });
  const rest = all - shown.length;
  return html`${shown}${rest > 0 && html`<span class="muted">${t.audit.more({ count: rest })}</span>`}`;
}
