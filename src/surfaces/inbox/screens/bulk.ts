import { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import { SubmissionListQuery } from "../../../model/submission-queries.ts";
import type { HostSubmissionList } from "../../../model/submissions.ts";
import { queryOf } from "../../api/query.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { changeAll, changeSome, changing, deletesForGood, idsOf, matching } from "../bulk.ts";
import { type Act, actOf } from "../bulk-actions.ts";
import { apiParams } from "../filters.ts";
import { noticeCookie, snoozedIn, undoable } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import { count } from "../layout/time.ts";
import type { MemberRequest } from "../visit.ts";
import { formOf } from "./_form-head.ts";
import { asksFirst, question } from "./_question.ts";
import { hidden } from "./_toolbar.ts";

/** Ids that one page of a list has. */
export const MOST = 100;
/** To delete more than this, the user has to type the number. */
const TYPED = 50;

const deletes = (act: Act): boolean => act === "delete" || act === "delete_forever";

/** Changes the selected submissions, or all matching ones; deletions, sending and changes of all need a confirmation. */
export async function bulkAct(visit: MemberRequest): Promise<Response> {
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
    if (deletes(act) && Number(number) > TYPED && body.get("typed")?.replace(/\D/g, "") !== number) {
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
  const forGood = act === "delete" && (await deletesForGood(visit, [form.id]));
  if ((asksFirst(act) || forGood) && !isConfirmed) return ask({});
  const isUndo = body.get("undo") === "1";
  const own = isUndo ? undefined : (await changing(visit, act, ids)).find(({ form_id }) => form_id === form.id);
  const changed = await changeSome(visit, form, { act, ids, snoozed: snoozedIn(body), isUndo });
  return redirect(
    settings,
    to(here, filter),
    noticeCookie(visit, act, changed, forGood || !own ? null : undoable(form.id, act, own.ids, own.snoozed)),
  );
}

/** Asks before it is done, or says how far it has got. */
export async function bulkScreen(visit: MemberRequest): Promise<Response> {
  const { t, to, query } = visit;
  const form = await formOf(visit);
  const act = actOf(query.get("action"));
  const filter = apiParams(query);
  const ids = [...new Set(query.getAll("ids"))].slice(0, MOST);
  const isAll = query.get("all") === "1";
  const cursor = query.get("cursor");
  if (isAll && cursor !== null) return progress(visit, form.id, act, filter, cursor);
  const forGood = act === "delete_forever" || (act === "delete" && (await deletesForGood(visit, [form.id])));
  const { number, exact } = isAll ? await matching(visit, form.id, filter) : { number: ids.length, exact: true };
  return question(visit, {
    act,
    forGood,
    number,
    counted: isAll ? await newest(visit, form.id, filter) : { ids: await idsOf(visit, form.id, ids) },
    form_id: form.id,
    action: to(`/f/${form.id}/bulk`, filter),
    cancel: to(`/f/${form.id}`, filter),
    carried: isAll ? Object.entries({ all: "1", number: String(number) }) : ids.map((id) => ["ids", id]),
    about: isAll && html`<p>${t.bulk.doHelp()}${!exact && html` ${t.bulk.atLeast()}`}</p>`,
    control: isAll && deletes(act) && number > TYPED && typedNumber(visit, number),
  });
}

/** Says how far an act for all that match has got, and goes on. */
function progress(
  visit: MemberRequest,
  form_id: string,
  act: Act,
  filter: URLSearchParams,
  cursor: string,
): Promise<Response> {
  const { t, to, query } = visit;
  const done = String(Number(query.get("done")) || 0);
  const number = query.get("number") ?? "";
  const title = t.bulk.going({ count: Number(done) });
  const carried = Object.entries({
    action: act,
    confirm: "1",
    all: "1",
    cursor,
    done,
    number,
    ...(deletes(act) && { typed: number }),
  });
  const content = html`<div class="question"><h1>${title}</h1><p>${t.bulk.goingHelp()}</p><form method="post" action="${to(`/f/${form_id}/bulk`, filter)}" data-auto>${hidden(carried)}<p class="actions"><button class="button primary">${t.bulk.continue()}</button><a class="button" href="${to(`/f/${form_id}`, filter)}">${t.bulk.cancel()}</a></p></form></div>`;
  return page(visit, { title, form_id, content });
}

/** The control for the number of submissions, which is typed before many are deleted. */
function typedNumber(visit: MemberRequest, number: number): Html {
  const { t, query } = visit;
  const isWrong = query.has("wrong");
  const shown = { number: count(visit, number) };
  return html`<div class="field"><label for="typed">${t.bulk.type(shown)}</label>${
    isWrong && html`<p class="error" id="fault" role="alert">${t.bulk.typeWrong(shown)}</p>`
  }<input id="typed" name="typed" inputmode="numeric" required autocomplete="off"${isWrong && html` aria-invalid="true" aria-describedby="fault"`}></div>`;
}

/** The newest of the matching submissions, for the bill of all of them. */
async function newest(visit: MemberRequest, form_id: string, filter: URLSearchParams) {
  const query = queryOf(new URLSearchParams([...filter, ["limit", String(MOST)]]), SubmissionListQuery);
  const list = (await visit.call("listSubmissions", { params: { form_id }, query })) as HostSubmissionList;
  const ids = list.data.map(({ id }) => id);
  return { ids, ...(list.has_more && { most: visit.t.spam.billMost({ count: MOST }) }) };
}
