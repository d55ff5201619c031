import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import type { Section } from "../settings/leaves.ts";
import { amounts } from "../trials.ts";
import type { MemberRequest } from "../visit.ts";

/** The sections whose settings can be tried on stored submissions, and the address of the trial. */
const trials: Partial<Record<Section, string>> = {
  spam: "spam/backtest",
  validation: "settings/validation/backtest",
};

/** The frame next to a page of settings for what they would do to stored submissions. Null where they can't be tried. */
export function trialPanel(visit: MemberRequest, { id }: HostForm, section: Section): Html | null {
  const { t, to, has, shows } = visit;
  const b = t.backtest;
  const trial = trials[section];
  if (trial === undefined || !has("submissions:read") || (section === "spam" && !shows("spam"))) return null;
  const limit =
    section === "spam" &&
    html`<label class="field">${b.limit()}<select name="trial.limit">${amounts.map(
      (n) =>
        html`<option value="${n}"${n === "500" && html` selected`}>${new Intl.NumberFormat(visit.words.tag).format(Number(n))}</option>`,
    )}</select></label>`;
  return html`<section class="panel" aria-label="${b.panel()}"><h2>${b.panel()}</h2><p class="muted">${b.help()}</p>${limit}<p class="actions"><button class="button" formaction="${to(`/f/${id}/${trial}`, { frame: 1 })}" formtarget="trial">${b.button()}</button></p><div class="frame"><iframe class="result" name="trial" title="${b.frame()}" src="${to(`/f/${id}/${trial}`, { frame: 1 })}" sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"></iframe></div></section>`;
}
