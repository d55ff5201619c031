import { type Html, html } from "../../../lib/html.ts";
import { AllSubmissionsQuery, SubmissionListQuery } from "../../../model/submission-queries.ts";
import type { HostSubmissionList } from "../../../model/submissions.ts";
import { redirect } from "../answer.ts";
import { apiParams, folderOf, isFiltered, tidied } from "../filters.ts";
import { icon } from "../layout/icons.ts";
import { page } from "../layout/page.ts";
import { tabs } from "../layout/tabs.ts";
import { longText } from "../layout/time.ts";
import { thereIn } from "../presence.ts";
import { SEARCHED, searched } from "../search.ts";
import type { Answers, MemberRequest } from "../visit.ts";
import { filterBar } from "./_filter-bar.ts";
import { formHead, formOf } from "./_form-head.ts";
import { hits, suggestions } from "./_hits.ts";
import { quietBanner } from "./_quiet.ts";
import { submissionTable } from "./_rows.ts";
import { toolbar } from "./_toolbar.ts";
import { unreached } from "./_unreached.ts";
import { workViews } from "./_work.ts";
import { saveViewForm } from "./views.ts";

/** The submissions of one form: its inbox, its spam, or a search. */
export async function listScreen(visit: MemberRequest): Promise<Response> {
  const { t, to, query, settings } = visit;
  const form = await formOf(visit);
  const here = `/f/${form.id}`;
  const tidy = tidied(visit);
  if (tidy) return redirect(settings, to(here, tidy));
  const params = { form_id: form.id };
  const folder = folderOf(query);
  const pending = folder === "pending";
  const caption = pending ? t.pending.caption({ form: form.name }) : t.list.caption({ form: form.name });
  // At once: each is a round trip or more to the database.
  const [{ list, since }, there, quiet, unheard] = await Promise.all([
    searched(
      visit,
      SubmissionListQuery,
      async (input) => (await visit.call("listSubmissions", { params, query: input })) as HostSubmissionList,
    ),
    pending ? {} : thereIn(visit, form.id, null),
    folder === "inbox" && !query.has("cursor") && quietBanner(visit, form),
    folder === "inbox" && unreached(visit, form),
  ]);
  if (list.data.length > 0) visit.note("list", { team_id: form.team_id, form_id: form.id, ids: [] });
  const rows = async (): Promise<Html> => {
    const [found, bar, table] = await Promise.all([
      hits(visit, form.id, list, since),
      toolbar(visit, { form_id: form.id, folder }),
      submissionTable(visit, list.data, { caption, pending, form, there }),
    ]);
    return html`${found}${bar}${table}${pages(visit, here, list, since)}`;
  };
  const content = async (): Promise<Html> =>
    html`${formHead(visit, form, folder)}${quiet}${unheard}${workViews(visit, here)}${filterBar(visit, here, list.data)}${saveViewForm(visit, form.id)}${
      list.data.length === 0 ? await empty(visit, form.id) : await rows()
    }${further(visit, here, list, since)}`;
  // What is new stands at the top of the inbox alone.
  const isTop = folder === "inbox" && !query.has("cursor") && query.get("order") !== "asc" && !isFiltered(query);
  return page(visit, {
    title: `${titleOf(visit)} · ${form.name}`,
    form_id: form.id,
    content: content(),
    poll: pending
      ? null
      : to("/poll", {
          form: form.id,
          ...(isTop ? { since: list.data[0]?.created_at ?? "" } : { fresh: "0" }),
          ...(folder === "spam" && { status: "spam" }),
        }),
    script: html` data-form="${to(here)}"`,
  });
}

const titleOf = ({ t, query }: MemberRequest): string =>
  ({
    inbox: t.list.inbox(),
    all: t.list.everything(),
    spam: t.list.spam(),
    pending: t.pending.tab(),
    trash: t.work.trash(),
  })[folderOf(query)];

/** The submissions of every form. */
export async function allScreen(visit: MemberRequest): Promise<Response> {
  const { t, to, query, settings } = visit;
  const here = "/all";
  const tidy = tidied(visit);
  if (tidy) return redirect(settings, to(here, tidy));
  const { list, since } = await searched(
    visit,
    AllSubmissionsQuery,
    async (input) => (await visit.call("listAllSubmissions", { query: input })) as HostSubmissionList,
  );
  const folder = folderOf(query);
  const forms = await formsOf(visit, list);
  for (const team_id of new Set(forms.map(({ team_id }) => team_id))) {
    visit.note("list", { team_id, form_id: null, ids: [] });
  }
  const at = (status: string) => to(here, status === "inbox" ? {} : { status });
  const head = html`<div class="head"><h1>${t.page.all()}</h1>${tabs(t.page.all(), [
    { text: t.list.inbox(), href: at("inbox"), current: folder === "inbox" },
    { text: t.list.spam(), href: at("spam"), current: folder === "spam" },
  ])}</div>`;
  const content = html`${head}${workViews(visit, here)}${filterBar(visit, here, list.data)}${saveViewForm(visit, null)}${
    list.data.length === 0
      ? await empty(visit, null)
      : html`${await hits(visit, null, list, since)}${await toolbar(visit, { form_id: null, folder })}${await submissionTable(visit, list.data, { caption: t.list.captionAll(), formNames: namesOf(forms) })}${pages(visit, here, list, since)}`
  }${further(visit, here, list, since)}`;
  return page(visit, { title: t.page.all(), content });
}

/** The forms in a list, if they still exist. */
const formsOf = (visit: MemberRequest, { data }: HostSubmissionList) =>
  visit.call("nameForms", { body: { ids: [...new Set(data.map(({ form_id }) => form_id))] } });

const namesOf = (forms: Answers["nameForms"]): Map<string, string> => new Map(forms.map(({ id, name }) => [id, name]));

async function empty(visit: MemberRequest, form_id: string | null): Promise<Html> {
  const { t, to, query, has, shows } = visit;
  const e = t.empty;
  if (isFiltered(query)) {
    const status = query.get("status");
    const clear = to(form_id === null ? "/all" : `/f/${form_id}`, { status });
    return html`<div class="empty">${icon("search")}<h2>${e.match()}</h2><p>${e.matchHelp()}</p>${await suggestions(visit, form_id)}<p><a class="button" href="${clear}">${e.clear()}</a></p></div>`;
  }
  if (folderOf(query) === "spam") {
    return html`<div class="empty">${icon("check")}<h2>${e.spam()}</h2><p>${e.spamHelp()}</p></div>`;
  }
  if (folderOf(query) === "trash") {
    return html`<div class="empty">${icon("check")}<h2>${t.work.trashEmpty()}</h2><p>${t.work.trashHelp()}</p></div>`;
  }
  if (folderOf(query) === "pending") {
    return html`<div class="empty">${icon("check")}<h2>${t.pending.none()}</h2><p>${t.pending.noneHelp()}</p></div>`;
  }
  if (form_id === null) return html`<div class="empty">${icon("tray")}<h2>${e.all()}</h2><p>${e.allHelp()}</p></div>`;
  return html`<div class="empty">${icon("tray")}<h2>${e.inbox()}</h2><p>${e.inboxHelp()}</p>${
    has("forms:read") &&
    shows("install") &&
    html`<p><a class="button" href="${to(`/f/${form_id}/install`)}">${e.install()}</a></p>`
  }</div>`;
}

/** Says how far back a search got, with the link that goes on from there. */
function further(
  visit: MemberRequest,
  here: string,
  { has_more }: HostSubmissionList,
  since: string | null,
): Html | null {
  if (since === null || has_more) return null;
  const { t, to, query } = visit;
  const params = apiParams(query);
  if (query.has(SEARCHED)) params.delete("created_after");
  params.set("created_before", since);
  return html`<p class="pages further"><span class="muted">${t.search.since({ time: longText(visit, since) })}</span><a class="button" href="${to(here, params)}">${t.search.further()}</a></p>`;
}

/** Cursors lead forward only, so that an address remembers the last few pages for the way back. */
const REMEMBERED = 5;

function pages(
  { t, to, query }: MemberRequest,
  here: string,
  { next_cursor }: HostSubmissionList,
  since: string | null,
): Html | null {
  const cursor = query.get("cursor");
  if (cursor === null && next_cursor === null) return null;
  const before = query.getAll("newer");
  const at = (cursors: readonly string[], next: string | undefined): string => {
    const params = apiParams(query, "list");
    params.delete("cursor");
    for (const one of cursors) params.append("newer", one);
    if (next !== undefined) params.set("cursor", next);
    // A cursor belongs to what was searched.
    if (since !== null) params.set("created_after", since);
    if (since !== null) params.set(SEARCHED, "1");
    return to(here, params);
  };
  const newer =
    cursor !== null &&
    html`<a class="button" rel="prev" href="${at(before.slice(0, -1), before.at(-1))}">${icon("back")}${t.list.newer()}</a>`;
  const older =
    next_cursor !== null &&
    html`<a class="button" rel="next" href="${at([...before, ...(cursor === null ? [] : [cursor])].slice(-REMEMBERED), next_cursor)}">${t.list.older()}${icon("next")}</a>`;
  return html`<div class="pages">${newer}${older}</div>`;
}
