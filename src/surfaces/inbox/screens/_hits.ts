import { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { HostSubmissionList } from "../../../model/submissions.ts";
import { apiParams, folderOf } from "../filters.ts";
import { looksInValues } from "../search.ts";
import type { MemberRequest } from "../visit.ts";

/** The hits of a search, counted for a moment; null where other searches take all places. */
async function hitsOf(visit: MemberRequest, form_id: string | null, params: URLSearchParams) {
  const query: Record<string, string | string[]> = {};
  for (const name of new Set(params.keys())) {
    const all = params.getAll(name);
    query[name] = all.length > 1 ? all : (all[0] ?? "");
  }
  if (form_id !== null) query["form_id"] = [form_id];
  try {
    return await visit.call("countBriefly", { body: { query } });
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return null;
    throw error;
  }
}

/** The number of hits over a list that a search has found. */
export async function hits(
  visit: MemberRequest,
  form_id: string | null,
  { data, has_more }: HostSubmissionList,
  since: string | null,
): Promise<Html | null> {
  const { t, query } = visit;
  if (!looksInValues(query) || query.has("cursor")) return null;
  const found =
    !has_more && since === null ? { count: data.length, exact: true } : await hitsOf(visit, form_id, apiParams(query));
  if (!found) return null;
  const n = Math.max(found.count, data.length);
  return html`<p class="muted pad" role="status">${found.exact ? t.list.hits({ count: n }) : t.list.hitsMore({ count: n })}</p>`;
}

/** Other places in which to look for words that found nothing, each with what it would find: without their quotes, in all forms, or in spam. */
export async function suggestions(visit: MemberRequest, form_id: string | null): Promise<Html | null> {
  const { t, to, query, shows } = visit;
  const words = query.get("words");
  if (words === null) return null;
  const here = form_id === null ? "/all" : `/f/${form_id}`;
  const own = (name: string, value: string): URLSearchParams => {
    const params = apiParams(query);
    params.set(name, value);
    return params;
  };
  const unquoted = words
    .replace(/["“”„«»]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  const all = [
    ...(unquoted !== words && unquoted !== ""
      ? [{ text: t.empty.unquoted(), path: here, of: form_id, params: own("words", unquoted) }]
      : []),
    // Fields are those of one form.
    ...(form_id !== null && shows("all")
      ? [{ text: t.empty.everywhere(), path: "/all", of: null, params: new URLSearchParams({ words }) }]
      : []),
    ...(folderOf(query) === "inbox"
      ? [{ text: t.empty.withSpam(), path: here, of: form_id, params: own("status", "all") }]
      : []),
  ];
  if (all.length === 0) return null;
  const lines: Html[] = [];
  // One after the other: all together would take all places that a person has for searches.
  for (const { text, path, of, params } of all) {
    const found = await hitsOf(visit, of, params);
    const says = found && (found.exact ? t.list.hits({ count: found.count }) : t.list.hitsMore({ count: found.count }));
    lines.push(
      html`<li><a href="${to(path, params)}">${text}</a>${says && html` <span class="muted">${says}</span>`}</li>`,
    );
  }
  return html`<ul class="suggestions">${lines}</ul>`;
}
