import { type Html, html } from "../../../lib/html.ts";
import { count, shortTime } from "../layout/time.ts";
import type { MemberRequest } from "../visit.ts";
import { enterForm, lockForm, operations, operatorPage, pages, table } from "./layout.ts";

/** One team: what it uses, its limits and its forms. */
export async function teamScreen(visit: MemberRequest): Promise<Response> {
  const { t, query } = visit;
  const o = t.operator;
  const id = (query.get("team") ?? "").slice(0, 64);
  const cursor = query.get("cursor");
  const found = await visit.operate(operations.operatorTeam, { team_id: id, cursor });
  const { team, usage, stored, forms, deleting, submissions_per_month: limit } = found;
  const n = (value: number | undefined): string => count(visit, value ?? 0);
  const facts: readonly (readonly [string, Html | string])[] = [
    [o.id(), html`<code><bdi>${team.id}</bdi></code>`],
    [o.plan(), html`<bdi>${team.plan}</bdi>`],
    [o.owner(), html`<bdi>${team.owner.email ?? "–"}</bdi>`],
    [
      o.state(),
      deleting ? o.deleting() : team.locked ? `${o.locked()}: ${team.locked.reason}` : team.active ? o.on() : o.off(),
    ],
    [o.accepted(), limit === null ? n(usage?.accepted) : o.of({ n: n(usage?.accepted), limit: n(limit) })],
    [o.spam(), n(usage?.spam)],
    [o.emails(), n(usage?.emails)],
    [o.webhooks(), n(usage?.webhooks)],
    [o.files(), o.megabytes({ n: n(Math.ceil((usage?.file_bytes ?? 0) / 1_000_000)) })],
    [o.stored(), `${stored.exact ? "" : "≥ "}${n(stored.count)}`],
    [
      o.domains(),
      team.sender_domains.map(({ domain, verified }) => `${domain}${verified ? "" : " ?"}`).join(", ") || "–",
    ],
    [o.address(), html`<bdi>${team.base_url ?? "–"}</bdi>`],
  ];
  const rows = forms.data.map(
    (form): Html =>
      html`<tr><th scope="row" class="where"><bdi>${form.name}</bdi> <code class="muted"><bdi>${form.id}</bdi></code></th><td>${form.locked && html`<span class="pill warn">${o.locked()}</span>`}</td><td class="time">${shortTime(visit, form.created_at)}</td><td>${enterForm(visit, team.id, `/f/${form.id}`)}</td><td>${lockForm(visit, { kind: "form", id: form.id, locked: form.locked !== undefined, back: `/operator/team?team=${encodeURIComponent(team.id)}` })}</td></tr>`,
  );
  const content = html`<div class="acts pad">${!deleting && enterForm(visit, team.id)}${lockForm(visit, { kind: "team", id: team.id, locked: team.locked !== null, back: `/operator/team?team=${encodeURIComponent(team.id)}` })}</div><dl class="facts pad">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl><h2 class="pad">${o.forms()}</h2>${table(o.forms(), [o.form(), o.state(), o.since(), o.enter(), o.lock()], rows, o.none())}${pages(visit, "/operator/team", forms.next_cursor, { team: team.id })}`;
  return operatorPage(visit, team.name, content);
}
