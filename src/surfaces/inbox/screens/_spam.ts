import { type Html, html } from "../../../lib/html.ts";
import type { HostSubmission } from "../../../model/submissions.ts";
import type { Verdict } from "../../../model/verdict.ts";
import { reasonIn } from "../faults.ts";
import type { Item } from "../item.ts";
import type { MemberRequest } from "../visit.ts";
import { heldBack } from "./_bill.ts";
import { named } from "./_delivery.ts";

/** Characters of a value that are shown with their marks. */
const SHOWN = 5_000;
const MOST_CHECKS = 50;
const MOST_VALUES = 50;

/** Each check's result for a submission, with its places in the text, and the deliveries that releasing it would send. */
export async function spamTab(visit: MemberRequest, { submission }: Item): Promise<Html> {
  const { t } = visit;
  const s = t.spam;
  const { verdict, spam } = submission;
  const byHand = spam && !verdict.some((one) => one.spam);
  const table =
    verdict.length === 0
      ? html`<p class="muted">${s.noChecks()}</p>`
      : html`<table class="lines"><caption class="sr">${s.checks()}</caption><thead><tr><th scope="col">${s.check()}</th><th scope="col">${s.said()}</th><th scope="col" class="num">${s.score()}</th><th scope="col">${s.reason()}</th></tr></thead><tbody>${verdict
          .slice(0, MOST_CHECKS)
          .map((one) => line(visit, submission.form_id, one))}</tbody></table>`;
  return html`<section><h2>${s.checks()}</h2>${table}${byHand && html`<p>${s.byHand()}</p>`}${spam && (await bill(visit, submission))}</section>${marked(visit, submission)}`;
}

function line(visit: MemberRequest, form_id: string, verdict: Verdict): Html {
  const { check, spam, score } = verdict;
  const { t, words, to, shows } = visit;
  const said = spam ? t.spam.isSpam() : t.spam.isOk();
  const points =
    score === undefined ? "–" : new Intl.NumberFormat(words.tag, { maximumFractionDigits: 2 }).format(score);
  return html`<tr data-check="${check}"><th scope="row"><bdi>${named(t.spam, check)}</bdi></th><td><span class="pill ${spam ? "warn" : "ok"}">${said}</span></td><td class="num">${points}</td><td class="where"><span dir="auto">${reasonIn(visit, verdict) ?? "–"}</span>${
    spam &&
    shows("spam") &&
    html` <a href="${to(`/f/${form_id}/spam/backtest`, { without: check })}">${t.backtest.without()}</a>`
  }</td></tr>`;
}

/** The deliveries that were held back, so that nobody sends mails unknowingly. */
async function bill(visit: MemberRequest, { id }: HostSubmission): Promise<Html> {
  const what = await heldBack(visit, [id]);
  return html`<p class="muted">${what === null ? visit.t.spam.billNone() : visit.t.spam.bill({ what })}</p>`;
}

/** The values that a check refers to, with those places marked. */
function marked({ t }: MemberRequest, { fields, verdict }: HostSubmission): Html | null {
  const places = verdict.filter(({ spam }) => spam).flatMap(({ at = [] }) => at);
  const seen = new Map<string, number>();
  const values = fields.flatMap(({ key, value }) => {
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    const own = places.filter((place) => place.key === key && place.nth === nth);
    return own.length === 0
      ? []
      : [
          html`<div><dt><bdi>${key}</bdi></dt><dd><span class="value" dir="auto">${highlighted(value, own)}</span></dd></div>`,
        ];
  });
  if (values.length === 0) return null;
  return html`<section><h2>${t.spam.marked()}</h2><dl class="fields">${values.slice(0, MOST_VALUES)}</dl></section>`;
}

/** A value with these places marked; of a long one, the part around the first of them. */
function highlighted(value: string, places: readonly { start: number; end: number }[]): Html[] {
  const sorted = [...places].sort((a, b) => a.start - b.start);
  const from = Math.max(0, (sorted[0]?.start ?? 0) - SHOWN / 2);
  const to = Math.min(value.length, from + SHOWN);
  const out: Html[] = from > 0 ? [html`…`] : [];
  let at = from;
  for (const { start, end } of sorted) {
    const [begin, stop] = [Math.max(at, start), Math.min(to, end)];
    if (begin >= stop) continue;
    out.push(html`${value.slice(at, begin)}<mark>${value.slice(begin, stop)}</mark>`);
    at = stop;
  }
  out.push(html`${value.slice(at, to)}${to < value.length && "…"}`);
  return out;
}

/** The reason why a submission is spam, in a few words; null if no check gave one. */
export function spamReason(visit: MemberRequest, { verdict }: HostSubmission): string | null {
  const said = verdict.find(({ spam }) => spam);
  if (!said) return null;
  const check = named(visit.t.spam, said.check);
  const reason = reasonIn(visit, said);
  return reason ? `${check}: ${reason.slice(0, 60)}` : check;
}
