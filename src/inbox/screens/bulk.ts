import { queryOf } from "../../api/query.ts";
import { ApiError } from "../../errors.ts";
import { type Html, html } from "../../lib/html.ts";
import { SubmissionListQuery } from "../../model/submission-queries.ts";
import type { HostSubmissionList } from "../../model/submissions.ts";
import { type Act, actOf } from "../acts.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { changeAll, changeSome, matching } from "../bulk.ts";
import { apiParams } from "../filters.ts";
import { noticeCookie } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import { count } from "../layout/time.ts";
import type { Visit } from "../visit.ts";
import { formOf } from "./_form-head.ts";
import { heldBack } from "./_spam.ts";

/** Ids that one page of a list has. */
export const MOST = 100;
/** To delete more than this, the user has to type the number. */
const TYPED = 50;

/** Changes the selected submissions, or all matching ones; deletions and changes of all need a confirmation. */
export async function bulkAct(visit: Visit): Promise<Response> {
  const { t, to, query, settings, exchange } = visit;
  const body = await posted(exchange.request);
  const form = await formOf(visit);
  const filter = apiParams(query);
  const here = `/f/${form.id}`;
  const act = actOf(body.get("action"));
  const isConfirmed = body.get("confirm") === "1";
  const ids = [...new Set(body.getAll("ids"))];
  const ask = (more: Readonly<Record<string, string>>): Response => {
    const params = new URLSearchParams([...filter, ["action", act], ...Object.entries(more)]);
    if (more["all"] === undefined) for (const id of ids) params.append("ids", id);
    return redirect(settings, to(`${here}/bulk`, params));
  };
  if (body.get("all") === "1") {
    const number = body.get("number") ?? "";
    if (!isConfirmed) return ask({ all: "1" });
    if (act === "delete" && Number(number) > TYPED && body.get("typed")?.replace(/\D/g, "") !== number) {
      return ask({ all: "1", wrong: "1" });
    }
    const before = Math.max(0, Number(body.get("done")) || 0);
    const { changed, cursor } = await changeAll(visit, form, act, filter, body.get("cursor") ?? undefined);
    if (cursor !== null) return ask({ all: "1", cursor, done: String(before + changed), number });
    return redirect(settings, to(here, filter), noticeCookie(visit, act, before + changed));
  }
  if (ids.length === 0) return redirect(settings, to(here, filter), noticeCookie(visit, "select"));
  if (ids.length > MOST) {
    throw new ApiError("invalid_parameter", { param: "ids", message: t.list.tooMany({ count: MOST }) });
  }
  if (act === "delete" && !isConfirmed) return ask({});
  const changed = await changeSome(visit, form, act, ids);
  return redirect(settings, to(here, filter), noticeCookie(visit, act, changed));
}

/** Names the number before it is done, or says how far it has got. */
export async function bulkScreen(visit: Visit): Promise<Response> {
  const { t, to, query } = visit;
  const form = await formOf(visit);
  const act = actOf(query.get("action"));
  const filter = apiParams(query);
  const ids = query.getAll("ids").slice(0, MOST);
  const isAll = query.get("all") === "1";
  const cursor = query.get("cursor");
  const action = to(`/f/${form.id}/bulk`, filter);
  const carried = (more: Readonly<Record<string, string>>): Html =>
    html`<input type="hidden" name="action" value="${act}"><input type="hidden" name="confirm" value="1">${Object.entries(
      isAll ? { all: "1", ...more } : more,
    ).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}${
      !isAll && ids.map((id) => html`<input type="hidden" name="ids" value="${id}">`)
    }`;
  const cancel = html`<a class="button" href="${to(`/f/${form.id}`, filter)}">${t.bulk.cancel()}</a>`;
  if (isAll && cursor !== null) {
    const done = Number(query.get("done")) || 0;
    const number = query.get("number") ?? "";
    const title = t.bulk.going({ count: done });
    const typed = act === "delete" && html`<input type="hidden" name="typed" value="${number}">`;
    const content = html`<div class="question"><h1>${title}</h1><p>${t.bulk.goingHelp()}</p><form method="post" action="${action}" data-auto>${carried({ cursor, done: String(done), number })}${typed}<p class="actions"><button class="button primary">${t.bulk.continue()}</button>${cancel}</p></form></div>`;
    return page(visit, { title, form_id: form.id, content });
  }
  const { number, exact } = isAll ? await matching(visit, form.id, filter) : { number: ids.length, exact: true };
  const title =
    act === "delete"
      ? t.bulk.deleteTitle({ count: number })
      : t.bulk.doTitle({ count: number, action: nameOf(visit, act) });
  if (number === 0) {
    return page(visit, {
      title,
      form_id: form.id,
      content: html`<div class="question"><h1>${t.bulk.none()}</h1><p class="actions">${cancel}</p></div>`,
    });
  }
  const asks = isAll && act === "delete" && number > TYPED;
  const sends = isAll && act === "deliver" && (await bill(visit, form.id, filter));
  const content = html`<div class="question"><h1>${title}</h1>${isAll && html`<p>${t.bulk.doHelp()}${!exact && html` ${t.bulk.atLeast()}`}</p>`}${
    act === "delete" && html`<p>${t.bulk.deleteHelp()}</p>`
  }${sends}<form method="post" action="${action}">${carried({ number: String(number) })}${
    asks &&
    html`<div class="field"><label for="typed">${t.bulk.type({ number: count(visit, number) })}</label>${
      query.has("wrong") &&
      html`<p class="error" id="fault" role="alert">${t.bulk.typeWrong({ number: count(visit, number) })}</p>`
    }<input id="typed" name="typed" inputmode="numeric" required autocomplete="off"${query.has("wrong") && html` aria-invalid="true" aria-describedby="fault"`}></div>`
  }<p class="actions"><button class="button ${act === "delete" ? "danger-fill" : "primary"}">${t.bulk.confirm()}</button>${cancel}</p></form></div>`;
  return page(visit, { title, form_id: form.id, content });
}

/** What releasing all matching submissions sends, counted over the newest of them. */
async function bill(visit: Visit, form_id: string, filter: URLSearchParams): Promise<Html> {
  const { t } = visit;
  const query = queryOf(new URLSearchParams([...filter, ["limit", String(MOST)]]), SubmissionListQuery);
  const list = (await visit.call("listSubmissions", { params: { form_id }, query })) as HostSubmissionList;
  const what = await heldBack(
    visit,
    list.data.filter(({ spam }) => spam).map(({ id }) => id),
  );
  const said = what === null ? t.spam.billNone() : t.spam.bill({ what });
  return html`<p>${said}${list.has_more && html` ${t.spam.billMost({ count: MOST })}`}</p>`;
}

/** The name of an act, as its button has it. */
export const nameOf = ({ t }: Visit, act: Act): string =>
  ({
    mark_read: t.list.read(),
    mark_unread: t.list.unread(),
    mark_spam: t.list.toSpam(),
    mark_not_spam: t.list.notSpam(),
    deliver: t.list.notSpamSend(),
    delete: t.list.delete(),
  })[act];
