import type { Plan } from "../../../core/options/plans.ts";
import type { Stored } from "../../../drivers/storage/types.ts";
import { ApiError } from "../../../errors.ts";
import { monthUsed } from "../../../features/jobs/quota.ts";
import { planOf, updateTeam } from "../../../features/teams/service.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { TeamRecord } from "../../../model/teams.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { faultText } from "../faults.ts";
import { bar } from "../layout/bars.ts";
import { noticeCookie } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import { count } from "../layout/time.ts";
import { MOST_TEAMS, ownTeams, teamChoice, teamOf } from "../team.ts";
import type { MemberRequest } from "../visit.ts";
import { labelled } from "./_labelled.ts";

type TeamRow = Stored<TeamRecord>;
interface Refused {
  readonly name: string;
  readonly fault: string;
  readonly status: number;
}

/** A team: its name, what it uses of its plan, and the person's other teams. */
export async function teamScreen(visit: MemberRequest, refused: Refused | null = null): Promise<Response> {
  const { t, to, query } = visit;
  const team = await teamOf(visit, query.get("team"));
  const name = labelled({ id: "name", label: t.team.name(), fault: refused?.fault }, (attributes) => {
    const value = refused?.name ?? team.value.name;
    return html`<input ${attributes} required maxlength="128" value="${value}" autocomplete="off" dir="auto">`;
  });
  const form = html`<form method="post" action="${to("/team", { team: team.id })}">${name}<p class="actions"><button class="button primary">${t.team.save()}</button></p></form>`;
  const content = html`<div class="head"><h1>${t.team.title()}</h1>${await teamChoice(visit, "/team", team.id)}</div><div class="stats admin"><section class="narrow">${form}</section>${await usage(visit, team)}${await list(visit, team.id)}</div>`;
  return page(visit, { title: `${t.team.title()} · ${team.value.name}`, content, status: refused?.status ?? 200 });
}

/** Members of a plan that are numbers of something that a team or form has. */
const counts = ["recipients", "webhooks_per_form", "max_files"] as const;
const sizes = ["max_file_size", "max_total_file_size"] as const;

async function usage(visit: MemberRequest, { id, value }: TeamRow): Promise<Html> {
  const { t, core, words } = visit;
  const plan = planOf(core, value);
  const [forms, month] = await Promise.all([
    core.storage.count("forms", { index: "team", equals: { team_id: id }, budgetMs: 1_000 }),
    monthUsed(core, id),
  ]);
  const none = (limit: number | null, say: (n: number) => string): string =>
    limit === null ? t.team.noLimit() : say(limit);
  const facts: readonly (readonly [string, string])[] = [
    ...counts.map((name) => [t.plan[name](), none(plan[name], (n) => count(visit, n))] as const),
    [t.plan.audit_days(), none(plan.audit_days, (n) => t.team.days({ count: n }))],
    [t.plan.retention_days(), none(plan.retention_days, (n) => t.team.days({ count: n }))],
    ...sizes.map((name) => [t.plan[name](), none(plan[name], (n) => words.size(n))] as const),
  ];
  const features = (Object.keys(plan) as (keyof Plan)[]).filter((name) => typeof plan[name] === "boolean");
  const used = [
    usedLine(visit, { name: t.plan.forms(), used: forms.count, limit: plan.forms, full: t.team.formsFull() }),
    usedLine(visit, {
      name: t.plan.submissions_per_month(),
      used: month,
      limit: plan.submissions_per_month,
      full: t.team.full(),
    }),
  ];
  return html`<section><h2>${t.team.usage({ plan: value.plan })}</h2><table class="bars usage"><caption class="sr">${t.team.usage({ plan: value.plan })}</caption><colgroup><col class="name"><col><col class="amount"></colgroup><thead class="sr"><tr><th scope="col">${t.team.part()}</th><th scope="col">${t.team.used()}</th><th scope="col">${t.team.limit()}</th></tr></thead><tbody>${used}</tbody></table><p class="muted">${t.team.usageHelp()}</p></section><section><h2>${t.team.limits()}</h2><dl class="facts">${facts.map(
    ([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`,
  )}${features.map(
    (name) =>
      html`<div><dt>${t.plan[name]()}</dt><dd>${plan[name] ? t.team.included() : html`<span class="muted">${t.team.excluded()}</span>`}</dd></div>`,
  )}</dl></section>`;
}

interface Used {
  readonly name: string;
  readonly used: number;
  readonly limit: number | null;
  readonly full: string;
}

function usedLine(visit: MemberRequest, { name, used, limit, full }: Used): Html {
  const { t } = visit;
  const isFull = limit !== null && used >= limit;
  const said =
    limit === null ? count(visit, used) : t.team.of({ used: count(visit, used), limit: count(visit, limit) });
  return html`<tr><th scope="row">${name}</th><td class="drawn">${limit !== null && bar(limit === 0 ? 1 : used / limit)}${
    isFull
      ? html`<span class="error">${full}</span>`
      : limit === null && html`<span class="muted">${t.team.noLimit()}</span>`
  }</td><td class="num">${said}</td></tr>`;
}

/** The other teams of the person, and the facts of each. */
async function list(visit: MemberRequest, current: string): Promise<Html | null> {
  const { t, to, member } = visit;
  const teams = await ownTeams(visit);
  const rest = (member.caller.team_ids ?? []).length - MOST_TEAMS;
  const line = ({ id, value }: TeamRow): Html =>
    html`<tr data-team-id="${id}"><th scope="row" class="where"><a href="${to("/team", { team: id })}"${id === current && html` aria-current="true"`}><bdi>${value.name}</bdi></a></th><td><code>${id}</code></td><td>${value.plan}</td><td>${owner(visit, value)}</td><td>${
      value.active
        ? html`<span class="pill ok">${t.team.active()}</span>`
        : html`<span class="pill">${t.team.closed()}</span>`
    }</td></tr>`;
  return html`<section><h2>${t.team.list()}</h2><table class="lines"><caption class="sr">${t.team.caption()}</caption><thead><tr><th scope="col">${t.team.name()}</th><th scope="col">${t.team.id()}</th><th scope="col">${t.team.plan()}</th><th scope="col">${t.team.owner()}</th><th scope="col">${t.team.state()}</th></tr></thead><tbody>${teams.map(line)}</tbody></table>${rest > 0 && html`<p class="muted">${t.team.more({ count: rest })}</p>`}</section>`;
}

function owner({ t }: MemberRequest, { owner: { email, email_verified } }: TeamRecord): Html {
  if (!email) return html`<span class="muted">${t.team.noOwner()}</span>`;
  return html`<bdi>${email}</bdi>${!email_verified && html` <span class="muted">${t.team.unconfirmed()}</span>`}`;
}

/** Renames a team. Its plan, owner and state are the host's to change: they are what it is paid for. */
export async function teamAct(visit: MemberRequest): Promise<Response> {
  const { core, to, settings, exchange, query } = visit;
  const body = await posted(exchange.request);
  const team = await teamOf(visit, query.get("team"));
  const name = body.get("name")?.trim() ?? "";
  try {
    await updateTeam(core, team.id, { name });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "invalid_parameter") throw error;
    return teamScreen(visit, { name: name.slice(0, 1_000), fault: faultText(visit, error), status: error.status });
  }
  visit.note("update_team", { team_id: team.id, form_id: null, ids: [team.id] });
  return redirect(settings, to("/team", { team: team.id }), noticeCookie(visit, "teamSaved"));
}
