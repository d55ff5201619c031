import { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import { posted } from "../body.ts";
import { faultText } from "../faults.ts";
import { page } from "../layout/page.ts";
import { longTime } from "../layout/time.ts";
import { trialAnswer } from "../preview/documents.ts";
import { LIMITS } from "../settings/changes.ts";
import { summaryOf } from "../summary.ts";
import { isKeptBack, type Named, rulesTrial, type SpamTrial, spamTrial, trialWithout } from "../trials.ts";
import type { MemberRequest } from "../visit.ts";
import { barTable } from "./_bars.ts";
import { named as wordsFor } from "./_delivery.ts";
import { formHead, formOf } from "./_form-head.ts";

/** The frame before anything was tried. */
export async function idleScreen(visit: MemberRequest): Promise<Response> {
  await formOf(visit);
  return framed(visit, html`<p class="muted">${visit.t.backtest.idle()}</p>`);
}

/** The spam settings tried on stored submissions; with `without`, what one check alone has held back. */
export async function backtestScreen(visit: MemberRequest): Promise<Response> {
  const { t, to, query, has, shows } = visit;
  const b = t.backtest;
  if (query.has("frame")) return idleScreen(visit);
  const form = await formOf(visit);
  const without = query.get("without")?.slice(0, 100) ?? null;
  const title = without === null ? b.title() : b.withoutTitle({ check: checkName(visit, without) });
  const content = html`${formHead(visit, form, "stats")}<div class="trial"><h2>${title}</h2>${
    without === null
      ? html`<p class="muted">${b.stored()}</p>${isKeptBack(visit) ? keptBack(visit) : spamResult(visit, form, await spamTrial(visit, form, null))}`
      : await withoutResult(visit, form, without)
  }<p class="actions">${
    has("forms:write") &&
    shows("settings") &&
    html`<a class="button" href="${to(`/f/${form.id}/settings/spam`)}">${b.change()}</a>`
  }${shows("stats") && html`<a class="button" href="${to(`/f/${form.id}/stats`)}">${b.back()}</a>`}</p></div>`;
  return page(visit, { title: `${title} · ${form.name}`, form_id: form.id, content });
}

/** The same with the settings of a page that was not saved, for the frame next to them. */
export const backtestAct = (visit: MemberRequest): Promise<Response> =>
  tried(visit, async (form, body) => spamResult(visit, form, await spamTrial(visit, form, body)));

/** The rules of a page that was not saved, tried on stored submissions. */
export const rulesTrialAct = (visit: MemberRequest): Promise<Response> =>
  tried(visit, async (form, body) => {
    const b = visit.t.backtest;
    const { checked, refused, complete, by_rule, named } = await rulesTrial(visit, form, body);
    const lines = by_rule.slice(0, 20).map(({ field, rule, refused: n }) => ({
      key: `${field} ${rule}`,
      text: `${field}: ${wordsFor(visit.t.choice as never, rule)}`,
      count: n,
    }));
    const sum =
      refused === 0 ? b.noneRefused({ count: checked }) : b.refused({ count: checked, refused: String(refused) });
    return html`<p role="status"><b>${checked === 0 ? b.empty() : sum}</b>${!complete && html` ${b.hurried()}`}</p>${
      refused > 0 &&
      html`<h3>${b.byRule()}</h3>${barTable(visit, b.byRule(), lines, refused)}${list(visit, form, b.which(), named)}`
    }`;
  });

async function tried(
  visit: MemberRequest,
  run: (form: HostForm, body: URLSearchParams) => Promise<Html>,
): Promise<Response> {
  const body = await posted(visit.exchange.request, LIMITS);
  const form = await formOf(visit);
  if (isKeptBack(visit)) return framed(visit, keptBack(visit));
  try {
    return framed(visit, await run(form, body));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return framed(visit, html`<p class="error" role="alert">${faultText(visit, error)}</p>`, error.status);
  }
}

const framed = (visit: MemberRequest, content: Html, status = 200): Response =>
  trialAnswer(visit, visit.t.backtest.frame(), html`<div class="trial">${content}</div>`, status);

const keptBack = ({ t }: MemberRequest): Html => html`<p class="notice" role="status">${t.backtest.keptBack()}</p>`;

/** The name of a check for people; those of the host keep their own. */
function checkName({ t }: MemberRequest, check: string): string {
  if (check === "session") return t.backtest.session();
  return check === "custom" ? t.backtest.custom() : wordsFor(t.spam, check);
}

function spamResult(visit: MemberRequest, form: HostForm, { result, toSpam, toInbox }: SpamTrial): Html {
  const { t } = visit;
  const b = t.backtest;
  const { checked, caught, by_check, unavailable } = result;
  if (checked === 0) return html`<p role="status"><b>${b.empty()}</b></p>`;
  const lines = by_check.slice(0, 20).map((one) => ({
    key: one.check,
    text: checkName(visit, one.check),
    count: one.caught,
  }));
  const changes = toSpam.count + toInbox.count;
  const checks = unavailable.map((check) => checkName(visit, check)).join(", ");
  return html`<p role="status"><b>${b.sum({ count: checked, caught: String(caught) })}</b> ${changes === 0 && b.same()}</p>${
    !form.spam.protection && html`<p class="notice">${b.off({ leaf: t.leaf["spam.protection"]() })}</p>`
  }${toSpam.count > 0 && list(visit, form, b.toSpam({ count: toSpam.count }), toSpam)}${
    toInbox.count > 0 && list(visit, form, b.toInbox({ count: toInbox.count }), toInbox)
  }${lines.length > 0 && html`<h3>${b.byCheck()}</h3>${barTable(visit, b.byCheck(), lines, caught)}`}<p class="muted">${b.notTried({ checks })}</p>`;
}

async function withoutResult(visit: MemberRequest, form: HostForm, check: string): Promise<Html> {
  const b = visit.t.backtest;
  const { spam, through, named } = await trialWithout(visit, form, check);
  return html`<p role="status"><b>${b.withoutSum({ count: spam, through: String(through) })}</b></p>${
    through > 0 && list(visit, form, b.toInbox({ count: through }), named)
  }`;
}

/** The first of some submissions, each with its sender and the beginning of its text. */
function list(visit: MemberRequest, { id }: HostForm, title: string, { count, some }: Named): Html {
  const { t, to, query, exchange } = visit;
  // A frame would show the inbox within the inbox.
  const apart = (query.has("frame") || exchange.request.method === "POST") && html` target="_blank" rel="noopener"`;
  const line = (one: Named["some"][number]): Html => {
    const { from, preview } = summaryOf(one);
    return html`<li><a href="${to(`/f/${id}/s/${one.id}`, { ...(one.spam && { tab: "spam" }) })}"${apart}><bdi>${from || t.list.noValues()}</bdi></a> <bdi class="what">${preview}</bdi> <span class="muted">${longTime(visit, one.created_at)}</span></li>`;
  };
  return html`<h3>${title}</h3><ul class="found">${some.map(line)}</ul>${
    count > some.length && html`<p class="muted">${t.backtest.more({ count: count - some.length })}</p>`
  }`;
}
