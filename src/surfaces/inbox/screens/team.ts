import { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { Team } from "../../../model/teams.ts";
import type { Plan } from "../../api/kernel.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { faultText } from "../faults.ts";
import { bar } from "../layout/bars.ts";
import { noticeCookie } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import { count } from "../layout/time.ts";
import { teamChoice, teamIdOf } from "../team.ts";
import type { Answers, MemberRequest } from "../visit.ts";
import { labelled } from "./_labelled.ts";

interface Refused {
  readonly name: string;
  readonly fault: string;
  readonly status: number;
}

/** A team: its name, what it uses of its plan, and the person's other teams. */
export async function teamScreen(visit: MemberRequest, refused: Refused | null = null): Promise<Response> {
  const { t, to } = visit;
  const use = await visit.call("useOfPlan", { params: { team_id: teamIdOf(visit) } });
  const { team } = use;
  const name = labelled({ id: "name", label: t.team.name(), fault: refused?.fault }, (attributes) => {
    const value = refused?.name ?? team.name;
    return html`<input ${attributes} required maxlength="128" value="${value}" autocomplete="off" dir="auto">`;
  });
  const form = html`<form method="post" action="${to("/team", { team: team.id })}">${name}<p class="actions"><button class="button primary">${t.team.save()}</button></p></form>`;
  const content = html`<div class="head"><h1>${t.team.title()}</h1>${await teamChoice(visit, "/team", team.id)}</div><div class="stats admin"><section class="narrow">${form}</section>${usage(visit, use)}${await list(visit, team.id)}</div>`;
  return page(visit, { title: `${t.team.title()} · ${team.name}`, content, status: refused?.status ?? 200 });
}

/** Members of a plan that are numbers of something that a team or form has. */
const counts = ["recipients", "webhooks_per_form", "max_files"] as const;
const sizes = ["max_file_size", "max_total_file_size"] as const;

function usage(visit: MemberRequest, { team, plan, forms, submissions }: Answers["useOfPlan"]): Html {
  const { t, words } = visit;
  const none = (limit: number | null, say: (n: number) => string): string =>
    limit === null ? t.team.noLimit() : say(limit);
  const facts: readonly (readonly [string, string])[] = [
    ...counts.map((name) => [t.plan[name](), none(plan[name], (n) => count(visit, n))] as const),
    [t.plan.audit_days(), none(plan.audit_days, (n) => t.team.days({ count: n }))],
    [t.plan.log_days(), t.team.days({ count: plan.log_days })],
    [t.plan.trash_days(), t.team.days({ count: plan.trash_days })],
    [t.plan.retention_days(), none(plan.retention_days, (n) => t.team.days({ count: n }))],
    ...sizes.map((name) => [t.plan[name](), none(plan[name], (n) => words.size(n))] as const),
  ];
  const features = (Object.keys(plan) as Exclude<keyof Plan, "overage">[]).filter(
    (name) => typeof plan[name] === "boolean",
  );
  const used = [
    usedLine(visit, { name: t.plan.forms(), used: forms, limit: plan.forms, full: t.team.formsFull() }),
    usedLine(visit, {
      name: t.plan.submissions_per_month(),
      used: submissions,
      limit: plan.submissions_per_month,
      full: t.team.full(),
    }),
  ];
  return html`<section><h2>${t.team.usage({ plan: team.plan })}</h2><table class="bars usage"><caption class="sr">${t.team.usage({ plan: team.plan })}</caption><colgroup><col class="name"><col><col class="amount"></colgroup><thead class="sr"><tr><th scope="col">${t.team.part()}</th><th scope="col">${t.team.used()}</th><th scope="col">${t.team.limit()}</th></tr></thead><tbody>${used}</tbody></table><p class="muted">${t.team.usageHelp()}</p></section><section><h2>${t.team.limits()}</h2><dl class="facts">${facts.map(
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
  const { t, to } = visit;
  const { data, more } = await visit.call("listOwnTeams");
  const line = ({ id, name, plan, active, owner }: Team): Html =>
    html`<tr data-team-id="${id}"><th scope="row" class="where"><a href="${to("/team", { team: id })}"${id === current && html` aria-current="true"`}><bdi>${name}</bdi></a></th><td><code>${id}</code></td><td>${plan}</td><td>${ownerText(visit, owner)}</td><td>${
      active
        ? html`<span class="pill ok">${t.team.active()}</span>`
        : html`<span class="pill">${t.team.closed()}</span>`
    }</td></tr>`;
  return html`<section><h2>${t.team.list()}</h2><table class="lines"><caption class="sr">${t.team.caption()}</caption><thead><tr><th scope="col">${t.team.name()}</th><th scope="col">${t.team.id()}</th><th scope="col">${t.team.plan()}</th><th scope="col">${t.team.owner()}</th><th scope="col">${t.team.state()}</th></tr></thead><tbody>${data.map(line)}</tbody></table>${more > 0 && html`<p class="muted">${t.team.more({ count: more })}</p>`}</section>`;
}

function ownerText({ t }: MemberRequest, { email, email_verified }: Team["owner"]): Html {
  if (!email) return html`<span class="muted">${t.team.noOwner()}</span>`;
  return html`<bdi>${email}</bdi>${!email_verified && html` <span class="muted">${t.team.unconfirmed()}</span>`}`;
}

/** Renames a team. */
export async function teamAct(visit: MemberRequest): Promise<Response> {
  const { to, settings, exchange } = visit;
  const body = await posted(exchange.request);
  const team_id = teamIdOf(visit);
  const name = body.get("name")?.trim() ?? "";
  try {
    await visit.call("renameTeam", { params: { team_id }, body: { name } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "invalid_parameter") throw error;
    return teamScreen(visit, { name: name.slice(0, 1_000), fault: faultText(visit, error), status: error.status });
  }
  return redirect(settings, to("/team", { team: team_id }), noticeCookie(visit, "teamSaved"));
}
