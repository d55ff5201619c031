import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import type { Statistics } from "../../../model/statistics.ts";
import { columnChart } from "../layout/bars.ts";
import { countryName } from "../layout/names.ts";
import { page } from "../layout/page.ts";
import { count, dateText } from "../layout/time.ts";
import { intervalOf, type Shares, type Stats, sourceMemberOf, sourceMembers, statsOf } from "../stats.ts";
import type { MemberRequest } from "../visit.ts";
import { type BarLine, barTable, percent } from "./_bars.ts";
import { named } from "./_delivery.ts";
import { formHead, formOf } from "./_form-head.ts";
import { quietBanner } from "./_quiet.ts";
import { statsTabs } from "./_stats-tabs.ts";

/** Characters of a value that a line shows. */
const SHOWN = 120;

/** Counts of a form over time, with spam by reason, countries and the values of one field. */
export async function statsScreen(visit: MemberRequest): Promise<Response> {
  const { t, query } = visit;
  const form = await formOf(visit);
  const by = query.get("by");
  const stats = await statsOf(visit, form, by);
  const { counted } = stats;
  const content = html`${formHead(visit, form, "stats")}<div class="stats">${await quietBanner(visit, form)}<div class="stats-bar">${statsTabs(visit, form, null)}<p class="muted">${rangeText(visit)} · ${t.stats.zone({ zone: visit.timeZone })}</p></div>${
    counted
      ? html`${totals(visit, form, counted, stats.allTime)}${charts(visit, form, counted)}`
      : html`<p class="notice" role="status">${t.stats.tooMany()}</p>`
  }<div class="stats-grid">${reasons(visit, form, stats.reasons)}${countries(visit, stats.countries)}${values(visit, form, by, stats)}${stats.sources && sources(visit, form, stats.sources)}</div></div>`;
  return page(visit, {
    title: t.stats.title({ form: form.name }),
    form_id: form.id,
    content,
    script: html` data-form="${visit.to(`/f/${form.id}`)}"`,
  });
}

function rangeText(visit: MemberRequest): string {
  const { stats } = visit.t;
  return { day: stats.lastDay(), week: stats.lastWeek(), month: stats.lastMonth() }[intervalOf(visit)];
}

function totals(visit: MemberRequest, form: HostForm, { totals: sums }: Statistics, allTime: number): Html {
  const s = visit.t.stats;
  const one = (name: string, value: string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const number = (name: string, n: number): Html => one(name, count(visit, n));
  const seen = isCounted(form, sums);
  return html`<dl class="totals">${number(s.submissions(), sums.submissions)}${number(s.spam(), sums.spam)}${
    seen &&
    html`${number(s.views(), sums.views)}${number(s.starts(), sums.starts)}${sums.views > 0 && one(s.started(), percent(visit, sums.starts / sums.views))}${
      sums.completion_rate !== null && one(s.finished(), percent(visit, sums.completion_rate))
    }`
  }${number(s.allTime(), allTime)}</dl>`;
}

/** True if views and starts are counted now, or were. */
const isCounted = ({ settings }: HostForm, { views, starts }: Statistics["totals"]): boolean =>
  settings.statistics.enabled || views + starts > 0;

function charts(visit: MemberRequest, form: HostForm, { data, totals: sums }: Statistics): Html {
  const s = visit.t.stats;
  const seen = isCounted(form, sums);
  const ends = [data[0], data.at(-1)].map((one) => one && startText(visit, one.start));
  const chart = (names: readonly (readonly ["submissions" | "spam" | "views" | "starts", string])[]): Html => {
    const at = (bucket: Statistics["data"][number]): number => names.reduce((sum, [key]) => sum + bucket[key], 0);
    const name = names.map(([, text]) => text).join(", ");
    const most = Math.max(0, ...data.map(at));
    const says = s.chart({
      name,
      total: count(
        visit,
        data.reduce((sum, bucket) => sum + at(bucket), 0),
      ),
      most: count(visit, most),
    });
    const columns = data.map((bucket) => ({
      says: `${startText(visit, bucket.start)}: ${names.map(([key, text]) => `${text} ${count(visit, bucket[key])}`).join(", ")}`,
      parts: names.map(([key]) => bucket[key]),
    }));
    return html`<figure class="chart"><figcaption>${names.map(([, text], part) => html`<span class="key part-${part}">${text}</span>`)}</figcaption><div class="plot"><span class="peak" aria-hidden="true">${count(visit, most)}</span>${columnChart(columns, says)}</div><p class="ends" aria-hidden="true"><span>${ends[0]}</span><span>${ends[1]}</span></p></figure>`;
  };
  return html`<section><h2>${s.overTime()}</h2>${chart([
    ["submissions", s.submissions()],
    ["spam", s.spam()],
  ])}${
    seen
      ? // Starts are views as well, and stand beside them rather than on them.
        html`<div class="pair">${chart([["views", s.views()]])}${chart([["starts", s.starts()]])}</div>`
      : html`<p class="muted">${s.notCounted()}</p>`
  }<details class="numbers"${data.length <= 12 && html` open`}><summary>${s.numbers()}</summary>${numbers(visit, data, seen)}</details></section>`;
}

/** Every bucket, the latest first. */
function numbers(visit: MemberRequest, data: Statistics["data"], seen: boolean): Html {
  const s = visit.t.stats;
  const columns = [
    ["submissions", s.submissions()],
    ["spam", s.spam()],
    ...(seen
      ? ([
          ["views", s.views()],
          ["starts", s.starts()],
        ] as const)
      : []),
  ] as const;
  return html`<table class="counts"><caption class="sr">${s.overTime()}</caption><thead><tr><th scope="col">${s.when()}</th>${columns.map(
    ([, text]) => html`<th scope="col" class="num">${text}</th>`,
  )}</tr></thead><tbody>${data
    .toReversed()
    .map(
      (bucket) =>
        html`<tr><th scope="row">${startText(visit, bucket.start)}</th>${columns.map(([key]) => html`<td class="num${bucket[key] === 0 ? " muted" : ""}">${count(visit, bucket[key])}</td>`)}</tr>`,
    )}</tbody></table>`;
}

const startText = (visit: MemberRequest, start: string): string =>
  dateText(visit, start, intervalOf(visit) === "month" ? "month" : "short");

const block = (title: string, ...parts: readonly (Html | null | false)[]): Html =>
  html`<section><h2>${title}</h2>${parts.map((part) => part || html``)}</section>`;

function reasons(visit: MemberRequest, form: HostForm, { shares, of }: Stats["reasons"]): Html {
  const s = visit.t.stats;
  if (of === 0) return block(s.reasons(), html`<p class="muted">${s.noSpam()}</p>`);
  const lines = shares.map((one) => ({ ...one, text: one.key === "" ? s.byHand() : named(visit.t.spam, one.key) }));
  return block(
    s.reasons(),
    barTable(visit, s.reasons(), lines, of),
    html`<p class="muted">${s.reasonsHelp({ count: of })}</p>`,
    visit.shows("spam") &&
      html`<p><a href="${visit.to(`/f/${form.id}/spam/backtest`)}">${visit.t.backtest.title()}</a></p>`,
  );
}

function countries(visit: MemberRequest, shares: Shares): Html {
  const s = visit.t.stats;
  const text = (key: string): string => (key === "unknown" ? s.unknown() : countryName(visit, key));
  return block(s.countries(), ...sharesOf(visit, s.countries(), shares, text, s.noCountries()));
}

function sharesOf(
  visit: MemberRequest,
  caption: string,
  { groups, other, exact }: Shares,
  text: (key: string) => string,
  none: string,
): Html[] {
  const s = visit.t.stats;
  const all = groups.reduce((sum, group) => sum + group.count, other);
  const lines: BarLine[] = groups.map((group) => ({ ...group, text: text(group.key) }));
  if (other > 0 && groups.length > 0) lines.push({ key: "", count: other, text: s.other(), rest: true });
  return [
    groups.length === 0 ? html`<p class="muted">${none}</p>` : barTable(visit, caption, lines, all),
    ...(exact ? [] : [html`<p class="muted">${s.some()}</p>`]),
  ];
}

function sources(visit: MemberRequest, form: HostForm, shares: Shares): Html {
  const { t, to, query } = visit;
  const s = t.stats;
  const chosen = sourceMemberOf(visit);
  const kept = (["interval", "by"] as const).map((name) => {
    const value = query.get(name);
    return value === null ? html`` : html`<input type="hidden" name="${name}" value="${value}">`;
  });
  const chooser = html`<form class="choose" action="${to(`/f/${form.id}/stats`)}">${kept}<label class="sr" for="source">${s.sourceBy()}</label><select id="source" name="source" dir="ltr">${sourceMembers.map(
    (name) => html`<option value="${name}"${name === chosen && html` selected`}>${name}</option>`,
  )}</select><button class="button">${s.show()}</button></form>`;
  return block(
    s.sources(),
    chooser,
    ...sharesOf(visit, s.sources(), shares, (value) => value.slice(0, SHOWN), s.noSources()),
  );
}

function values(visit: MemberRequest, form: HostForm, by: string | null, { names, values: shares }: Stats): Html {
  const { t, to, query } = visit;
  const s = t.stats;
  const labels: Readonly<Record<string, string>> = form.settings.labels;
  const label = (name: string): string => (Object.hasOwn(labels, name) ? (labels[name] ?? name) : name);
  const known = by === null || names.includes(by) ? names : [by, ...names];
  const interval = query.get("interval");
  const chooser = html`<form class="choose" action="${to(`/f/${form.id}/stats`)}">${interval !== null && html`<input type="hidden" name="interval" value="${interval}">`}<label class="sr" for="by">${s.field()}</label><select id="by" name="by" dir="auto"><option value="">${s.choose()}</option>${known.map(
    (name) => html`<option value="${name}"${name === by && html` selected`}>${label(name).slice(0, SHOWN)}</option>`,
  )}</select><button class="button">${s.show()}</button></form>`;
  const text = (value: string): string => (value.trim() === "" ? s.emptyValue() : value.slice(0, SHOWN));
  const shown = shares
    ? sharesOf(visit, s.values(), shares, text, s.noValues({ field: label(by ?? "") }))
    : [html`<p class="muted">${s.noField()}</p>`];
  return block(s.values(), chooser, ...shown);
}
