import { ApiError } from "../../../errors.ts";
import { dayOf, iso } from "../../../lib/clock.ts";
import { contentDisposition } from "../../../lib/content-disposition.ts";
import { type Html, html } from "../../../lib/html.ts";
import { fileResponse } from "../../../lib/response.ts";
import { readingColumns, technicalColumns } from "../../../model/submission-csv.ts";
import { SubmissionExportQuery } from "../../../model/submission-queries.ts";
import type { HostSubmissionList } from "../../../model/submissions.ts";
import { queryOf } from "../../api/query.ts";
import { apiParams } from "../filters.ts";
import { icon } from "../layout/icons.ts";
import { page } from "../layout/page.ts";
import type { MemberRequest } from "../visit.ts";
import { formOf } from "./_form-head.ts";
import { tick } from "./_labelled.ts";
import { exportFormats, hidden } from "./_toolbar.ts";
import { MOST } from "./bulk.ts";

/** Languages that write a comma in numbers: their spreadsheets expect a semicolon between the cells of a CSV. */
const SEMICOLON = /^(de|es|fr|it|nl|pl|pt|tr)\b/;
/** Characters of a form's name in a name of a file. */
const NAME = 60;

/** The filtered submissions as a file, or the selected ones. The parameters are the API's, `ids`, and `columns` for a table. */
export async function exportScreen(visit: MemberRequest): Promise<Response> {
  const { t, words, timeZone } = visit;
  const form = await formOf(visit);
  const params = apiParams(visit.query);
  const order = visit.query.get("order");
  if (order !== null) params.set("order", order);
  const format = visit.query.get("format") ?? "csv";
  const isTable = format === "xlsx" || format === "csv";
  if (!isTable) params.set("format", format);
  const query = queryOf(params, SubmissionExportQuery);
  const ids = idsOf(visit);
  if (ids.length > MOST) {
    throw new ApiError("invalid_parameter", { param: "ids", message: t.list.tooMany({ count: MOST }) });
  }
  const name = `${plainName(form.name) || form.id} ${dayOf(iso(visit.core.clock.now()))}`;
  const columns = visit.query.getAll("columns");
  const separator = SEMICOLON.test(words.tag) ? ";" : ",";
  const as = isTable
    ? ({ format, time_zone: timeZone, separator, name, ...(columns.length > 0 && { columns }) } as const)
    : undefined;
  const body = { query, ids, ...(as && { as }) };
  const file = await visit.call("exportChosen", { params: { form_id: form.id }, body });
  visit.note("export", { team_id: form.team_id, form_id: form.id, ids });
  const response = fileResponse(file);
  response.headers.set("content-disposition", contentDisposition(isTable ? file.file_name : `${name}.${format}`));
  return response;
}

/** The selected ones; none where all that match are meant, which goes before a selection on the page. */
const idsOf = ({ query }: MemberRequest): string[] =>
  query.get("all") === "1" ? [] : [...new Set(query.getAll("ids"))];

/** A name without what a file system or a header can't have. */
const plainName = (name: string): string =>
  [
    ...name
      .replace(/[\p{Cc}\p{Cf}\\/:*?"<>|]+/gu, " ")
      .replace(/\s+/g, " ")
      .trim(),
  ]
    .slice(0, NAME)
    .join("")
    .trim();

/** Asks for the columns of a file and their format. */
export async function columnsScreen(visit: MemberRequest): Promise<Response> {
  const { t, to, query, timeZone } = visit;
  const e = t.export;
  const form = await formOf(visit);
  const filter = apiParams(query);
  const { data } = (await visit.call("listSubmissions", {
    params: { form_id: form.id },
    query: { limit: "100", ...(filter.get("status") === "spam" && { status: "spam" }) },
  })) as HostSubmissionList;
  const labels: Readonly<Record<string, string>> = form.settings.labels;
  const fields = [...new Set([...data.flatMap(({ fields }) => fields.map(({ key }) => key)), ...Object.keys(labels)])];
  const group = (legend: string, names: readonly string[], ticked: boolean): Html =>
    html`<fieldset class="field rows"><legend>${legend}</legend><div class="ticks">${names.map((name) =>
      tick("columns", name, Object.hasOwn(labels, name) ? (labels[name] ?? name) : name, ticked),
    )}</div></fieldset>`;
  const back = to(`/f/${form.id}`, filter);
  const content = html`<div class="question"><p><a class="button quiet" href="${back}" data-key="u">${icon("back")}${t.item.back()}</a></p><h1>${e.title()}</h1><p>${e.help({ zone: timeZone })}</p><form action="${to(`/f/${form.id}/export`)}">${hidden(filter)}${idsOf(visit).map((id) => html`<input type="hidden" name="ids" value="${id}">`)}<div class="field"><label for="format">${t.list.format()}</label><select id="format" name="format">${await exportFormats()}</select></div>${group(e.fields(), fields, true)}${group(e.always(), readingColumns, true)}${group(e.technical(), technicalColumns, false)}<p class="actions"><button class="button primary">${t.list.export()}</button><a class="button" href="${back}">${t.bulk.cancel()}</a></p></form></div>`;
  return page(visit, { title: e.title(), form_id: form.id, content });
}
