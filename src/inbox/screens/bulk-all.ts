import { ApiError } from "../../errors.ts";
import { html } from "../../lib/html.ts";
import { actOf } from "../acts.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { changeEverywhere } from "../bulk.ts";
import { apiParams } from "../filters.ts";
import { noticeCookie } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import type { Visit } from "../visit.ts";
import { MOST, nameOf } from "./bulk.ts";

/** Changes submissions that were selected in the list over all forms; a deletion needs a confirmation. */
export async function bulkAllAct(visit: Visit): Promise<Response> {
  const { t, to, query, settings, exchange } = visit;
  const body = await posted(exchange.request);
  const act = actOf(body.get("action"));
  const filter = apiParams(query);
  const ids = [...new Set(body.getAll("ids"))];
  if (ids.length === 0) return redirect(settings, to("/all", filter), noticeCookie(visit, "select"));
  if (ids.length > MOST) {
    throw new ApiError("invalid_parameter", { param: "ids", message: t.list.tooMany({ count: MOST }) });
  }
  if (act === "delete" && body.get("confirm") !== "1") {
    const params = new URLSearchParams([...filter, ["action", act]]);
    for (const id of ids) params.append("ids", id);
    return redirect(settings, to("/all/bulk", params));
  }
  const changed = await changeEverywhere(visit, act, ids);
  return redirect(settings, to("/all", filter), noticeCookie(visit, act, changed));
}

/** Asks before submissions of several forms are changed. */
export function bulkAllScreen(visit: Visit): Promise<Response> {
  const { t, to, query } = visit;
  const act = actOf(query.get("action"));
  const filter = apiParams(query);
  const ids = [...new Set(query.getAll("ids"))].slice(0, MOST);
  const deletes = act === "delete";
  const title =
    ids.length === 0
      ? t.bulk.none()
      : deletes
        ? t.bulk.deleteTitle({ count: ids.length })
        : t.bulk.doTitle({ count: ids.length, action: nameOf(visit, act) });
  const hidden = [["action", act], ["confirm", "1"], ...ids.map((id) => ["ids", id])].map(
    ([name = "", value = ""]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const confirm =
    ids.length > 0 && html`<button class="button ${deletes ? "danger-fill" : "primary"}">${t.bulk.confirm()}</button>`;
  const content = html`<div class="question"><h1>${title}</h1>${deletes && ids.length > 0 && html`<p>${t.bulk.deleteHelp()}</p>`}<form method="post" action="${to("/all/bulk", filter)}">${hidden}<p class="actions">${confirm}<a class="button" href="${to("/all", filter)}">${t.bulk.cancel()}</a></p></form></div>`;
  return page(visit, { title, content });
}
