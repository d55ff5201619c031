import { type Html, html } from "../../../lib/html.ts";
import { icon } from "../layout/icons.ts";
import { page } from "../layout/page.ts";
import { longText } from "../layout/time.ts";
import { allLeaves, hides } from "../settings/leaves.ts";
import type { Answers, MemberRequest } from "../visit.ts";
import { formHead, formOf } from "./_form-head.ts";
import { statsTabs } from "./_stats-tabs.ts";

type LintFinding = Answers["checkForm"]["findings"][number];

/** Characters of a name that a line shows. */
const SHOWN = 200;

/** The settings of a form compared with what came: names that never came, and fields that stopped or were renamed. */
export async function checkupScreen(visit: MemberRequest): Promise<Response> {
  const { t } = visit;
  const l = t.lint;
  const form = await formOf(visit);
  const { read, enough, findings } = await visit.call("checkForm", { params: { form_id: form.id } });
  const said = enough ? l.help({ count: read }) : read === 0 ? l.nothing() : l.few({ count: read });
  const content = html`${formHead(visit, form, "stats")}<div class="stats">${statsTabs(visit, form, "checkup")}<p class="muted">${said}</p>${
    enough && findings.length === 0
      ? html`<div class="empty">${icon("check")}<h2>${l.fine()}</h2><p>${l.fineHelp()}</p></div>`
      : findings.length > 0 &&
        html`<table class="lines lint"><caption class="sr">${l.caption()}</caption><thead><tr><th scope="col">${l.field()}</th><th scope="col">${l.found()}</th><th scope="col">${l.places()}</th></tr></thead><tbody>${findings.map(
          (finding) => line(visit, form.id, finding, read),
        )}</tbody></table>`
  }</div>`;
  return page(visit, { title: l.title({ form: form.name }), form_id: form.id, content });
}

function line(visit: MemberRequest, formId: string, finding: LintFinding, read: number): Html {
  const { kind, field, places } = finding;
  const { lint } = visit.t;
  const named = places.map((path) => placeLink(visit, formId, path)).filter((one) => one !== null);
  return html`<tr data-field="${field.slice(0, SHOWN)}" data-kind="${kind}"><th scope="row"><bdi>${field.slice(0, SHOWN)}</bdi></th><td>${saidOf(visit, finding, read)}</td><td>${
    named.length === 0 ? html`<span class="muted">${lint.noPlace()}</span>` : html`<ul class="places">${named}</ul>`
  }</td></tr>`;
}

function saidOf(visit: MemberRequest, { kind, last_seen, instead }: LintFinding, read: number): string {
  const { lint } = visit.t;
  const time = longText(visit, last_seen ?? new Date(0).toISOString());
  if (kind === "never") return lint.never({ count: read });
  return instead === null ? lint.stopped({ time }) : lint.renamed({ time, instead: instead.slice(0, SHOWN) });
}

/** A setting by its name, as a link to its control. Null for one that this inbox hides. */
function placeLink({ t, to, shows, settings }: MemberRequest, formId: string, path: string): Html | null {
  const leaf = allLeaves.find((one) => one.path === path);
  if (!leaf || settings.hide.some((hidden) => hides(hidden, leaf.path))) return null;
  const name = t.leaf[leaf.path]();
  const section = t.settings[leaf.section]();
  const text = html`${section} · ${name}`;
  return shows("settings")
    ? html`<li><a href="${to(`/f/${formId}/settings/${leaf.section}`)}#${leaf.path}">${text}</a></li>`
    : html`<li>${text}</li>`;
}
