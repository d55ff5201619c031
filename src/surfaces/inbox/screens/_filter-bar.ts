import { DAY_MS, dayOf, iso } from "../../../lib/clock.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { HostSubmission } from "../../../model/submissions.ts";
import { apiParams, chipsOf } from "../filters.ts";
import { icon } from "../layout/icons.ts";
import type { MemberRequest } from "../visit.ts";
import { hidden } from "./_toolbar.ts";

const operators = ["contains", "eq", "starts_with", "in", "exists"] as const;

/** The search of a list, more filters, and those that apply. All of it is in the address, so that a bookmark is a saved view. */
export function filterBar(visit: MemberRequest, here: string, list: readonly HostSubmission[] = []): Html {
  const { t, to, query } = visit;
  const f = t.filter;
  const own = apiParams(query);
  for (const name of ["words", "read", "country", "created_after", "created_before"]) own.delete(name);
  const chips = chipsOf(visit);
  const state = query.get("read");
  const option = (value: string, text: string): Html =>
    html`<option value="${value}"${state === (value || null) && html` selected`}>${text}</option>`;
  const day = (name: string): string => query.get(name)?.slice(0, 10) ?? "";
  return html`<form class="filters" action="${to(here)}" role="search">${hidden(own)}<div class="find"><label class="sr" for="q">${t.page.search()}</label>${icon("search")}<input id="q" type="search" name="words" value="${query.get("words") ?? ""}" placeholder="${t.page.search()}" maxlength="1000" autocomplete="off" data-search></div><details class="more-filters"><summary class="button quiet">${icon("filter")}${f.title()}</summary><div class="drop wide-drop">${presets(visit, here)}<label>${f.state()}<select name="read">${option("", f.any())}${option("false", f.unread())}${option("true", f.read())}</select></label><label>${f.country()}<input name="country" value="${query.get("country") ?? ""}" maxlength="200" autocomplete="off" dir="ltr" title="${f.countryHelp()}"></label><label>${f.after()}<input type="date" name="created_after" value="${day("created_after")}"></label><label>${f.before()}<input type="date" name="created_before" value="${day("created_before")}"></label><label>${f.field()}<input name="filter_field" maxlength="200" autocomplete="off" dir="auto" list="fields"><datalist id="fields">${fieldsIn(list).map((name) => html`<option value="${name}"></option>`)}</datalist></label><label>${f.operator()}<select name="filter_op">${operators.map(
    (name) => html`<option value="${name}">${f[name]()}</option>`,
  )}</select></label><label>${f.value()}<input name="filter_value" maxlength="1000" autocomplete="off" dir="auto"></label><button class="button primary">${f.apply()}</button></div></details></form>${
    chips.length > 0 &&
    html`<ul class="chips" aria-label="${f.active()}">${chips.map(
      ({ text, without }) =>
        html`<li><a href="${to(here, without)}" aria-label="${f.remove({ name: text })}"><bdi>${text}</bdi><span aria-hidden="true">×</span></a></li>`,
    )}</ul>`
  }`;
}

/** Names that the list of known fields offers. */
const MOST_FIELDS = 100;

/** The fields of the submissions of this page: no other one is read for it. */
const fieldsIn = (list: readonly HostSubmission[]): string[] =>
  [...new Set(list.flatMap(({ fields }) => fields.slice(0, MOST_FIELDS).map(({ key }) => key)))].slice(0, MOST_FIELDS);

/** Links to spans of time, in days of UTC, as the dates beside them are. */
function presets({ t, to, query, core }: MemberRequest, here: string): Html {
  const f = t.filter;
  const now = core.clock.now();
  const today = dayOf(iso(now));
  const month = `${today.slice(0, 7)}-01`;
  const before = dayOf(iso(Date.parse(month) - DAY_MS));
  const spans = [
    { text: f.today(), after: today, until: null },
    { text: f.week(), after: dayOf(iso(now - 6 * DAY_MS)), until: null },
    { text: f.month(), after: `${before.slice(0, 7)}-01`, until: month },
  ];
  return html`<p class="presets">${spans.map(({ text, after, until }) => {
    const params = apiParams(query);
    params.set("created_after", after);
    if (until === null) params.delete("created_before");
    else params.set("created_before", until);
    const current =
      query.get("created_after")?.slice(0, 10) === after &&
      (query.get("created_before")?.slice(0, 10) ?? null) === until;
    return html`<a class="button quiet" href="${to(here, params)}"${current && html` aria-current="true"`}>${text}</a>`;
  })}</p>`;
}
