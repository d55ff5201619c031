import { ApiError } from "../../../errors.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { byForm, changeEverywhere, changing, deletesForGood } from "../bulk.ts";
import { actOf } from "../bulk-actions.ts";
import { apiParams } from "../filters.ts";
import { noticeCookie, snoozedIn, undoable } from "../layout/notice.ts";
import type { MemberRequest } from "../visit.ts";
import { asksFirst, question } from "./_question.ts";
import { MOST } from "./bulk.ts";

/** Changes submissions that were selected in the list over all forms; a deletion for good and what sends need a confirmation. */
export async function bulkAllAct(visit: MemberRequest): Promise<Response> {
  const { t, to, query, settings, exchange } = visit;
  const body = await posted(exchange.request);
  const act = actOf(body.get("action"));
  const filter = apiParams(query);
  const ids = [...new Set(body.getAll("ids"))];
  if (ids.length === 0) return redirect(settings, to("/all", filter), noticeCookie(visit, "select"));
  if (ids.length > MOST) {
    throw new ApiError("invalid_parameter", { param: "ids", message: t.list.tooMany({ count: MOST }) });
  }
  const isUndo = body.get("undo") === "1";
  const own = isUndo ? [] : await changing(visit, act, ids);
  const forms = own.map(({ form_id }) => form_id);
  const forGood = act === "delete" && (await deletesForGood(visit, forms));
  if ((asksFirst(act) || forGood) && body.get("confirm") !== "1") {
    const params = new URLSearchParams([...filter, ["action", act]]);
    for (const id of ids) params.append("ids", id);
    return redirect(settings, to("/all/bulk", params));
  }
  const changed = await changeEverywhere(visit, { act, ids, snoozed: snoozedIn(body), isUndo });
  const undo = forGood
    ? null
    : undoable(
        null,
        act,
        own.flatMap((one) => one.ids),
        Object.assign({}, ...own.map((one) => one.snoozed)),
      );
  return redirect(settings, to("/all", filter), noticeCookie(visit, act, changed, undo));
}

/** Asks before submissions of several forms are changed. */
export async function bulkAllScreen(visit: MemberRequest): Promise<Response> {
  const { to, query } = visit;
  const filter = apiParams(query);
  const ids = [...new Set(query.getAll("ids"))].slice(0, MOST);
  const act = actOf(query.get("action"));
  const reached = await byForm(visit, ids);
  const forms = reached.map(({ form_id }) => form_id);
  return question(visit, {
    act,
    forGood: act === "delete_forever" || (act === "delete" && (await deletesForGood(visit, forms))),
    number: ids.length,
    counted: { ids: reached.flatMap((one) => one.ids) },
    action: to("/all/bulk", filter),
    cancel: to("/all", filter),
    carried: ids.map((id) => ["ids", id]),
  });
}
