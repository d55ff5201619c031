import { ApiError } from "../../../errors.ts";
import { html } from "../../../lib/html.ts";
import type { RoutingRule } from "../../../model/routing.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { faultText } from "../faults.ts";
import { cameFrom } from "../filters.ts";
import { itemOf } from "../item.ts";
import { noticeCookie } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import { leavesOf } from "../settings/leaves.ts";
import { addedRuleControl, destinationsOf, spareRule } from "../settings/routing-controls.ts";
import { type RuleRow, routingRows } from "../settings/routing-rows.ts";
import { conditionLike } from "../settings/rule-like.ts";
import type { MemberRequest } from "../visit.ts";

/** The prefix of the names of the controls. */
const RULE = "rule";

/** True if the person may add rules, and the host hides the rules of forms from nobody. */
export const addsRules = ({ can, settings }: MemberRequest): boolean =>
  can("rules") && leavesOf("routing", settings.hide).length > 0;

/** A rule for submissions like one, which is added after those of the form. */
export async function ruleScreen(visit: MemberRequest, row?: RuleRow, fault?: ApiError): Promise<Response> {
  const { t, to, query } = visit;
  const { submission, form, at } = await itemOf(visit);
  const like = conditionLike(submission);
  if (!addsRules(visit) || !form || (!like && !row)) throw new ApiError("not_found");
  const shown = row ?? { ...spareRule, conditions: like ? [like] : [] };
  const back = to(at, cameFrom(query));
  const content = html`<div class="head"><h1>${t.item.makeRule()}</h1></div><div class="settings"><p class="muted">${t.routing.added()}</p>${
    fault && html`<p class="error" role="alert">${faultText(visit, fault)}</p>`
  }<form method="post" action="${to(`${at}/rule`, cameFrom(query))}" class="narrow" novalidate>${addedRuleControl(visit, RULE, shown, destinationsOf(form))}<p class="actions"><button class="button primary">${t.settings.save()}</button><a class="button" href="${back}">${t.bulk.cancel()}</a></p></form></div>`;
  return page(visit, {
    title: t.item.makeRule(),
    form_id: form.id,
    content,
    ...(fault && { status: fault.status }),
    script: html` data-back="${back}"`,
  });
}

/** Adds the rule, and shows the submission again. */
export async function ruleAct(visit: MemberRequest): Promise<Response> {
  const { to, settings, query, exchange } = visit;
  if (!addsRules(visit)) throw new ApiError("not_found");
  const text = routingRows.posted(await posted(exchange.request), RULE);
  const { submission, at } = await itemOf(visit);
  const [row = spareRule] = JSON.parse(text) as RuleRow[];
  try {
    const [rule] = routingRows.value(text) as RoutingRule[];
    await visit.call("addRule", {
      params: { form_id: submission.form_id },
      body: { id: submission.id, rule: rule ?? { if: { all: [] }, to: {} } },
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    if (error.code !== "invalid_parameter" && error.code !== "plan_restricted") throw error;
    return ruleScreen(visit, row, error);
  }
  return redirect(settings, to(at, cameFrom(query)), noticeCookie(visit, "rule"));
}
