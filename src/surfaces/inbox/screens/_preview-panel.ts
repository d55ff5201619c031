import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import { longText } from "../layout/time.ts";
import { schemes } from "../preview/documents.ts";
import { choiceName } from "../settings/inputs.ts";
import type { Section } from "../settings/leaves.ts";
import { summaryOf } from "../summary.ts";
import type { MemberRequest } from "../visit.ts";
import { type PreviewKind, previews } from "./preview.ts";

/** Submissions to choose from. */
const LATEST = 10;
const widths = ["320", "600"] as const;

/** The frame next to a page of settings, and how to show what is in it. Null where there is nothing to show. */
export async function previewPanel(visit: MemberRequest, form: HostForm, section: Section): Promise<Html | null> {
  const { t, to, has, shows } = visit;
  const p = t.preview;
  const kinds = (Object.keys(previews) as PreviewKind[]).filter((kind) => previews[kind] === section);
  if (kinds.length === 0 || !shows("preview") || !has("submissions:read")) return null;
  const at = (kind: PreviewKind): string => to(`/f/${form.id}/preview/${kind}`);
  const { data } = await visit.call("listSubmissions", {
    params: { form_id: form.id },
    query: { limit: String(LATEST) },
  });
  const radios = (name: string, legend: string, all: readonly (readonly [string, string])[]): Html =>
    html`<fieldset class="pick-one"><legend>${legend}</legend>${all.map(
      ([value, words], i) =>
        html`<label><input type="radio" name="preview.${name}" value="${value}"${i === 0 && html` checked`}><span>${words}</span></label>`,
    )}</fieldset>`;
  const mails = section !== "after-submit";
  // The side at which a wide mail begins, where the panel is narrower.
  const { dir } = visit.core.options.languages.ofOwner(form.settings.language);
  return html`<section class="panel" aria-label="${p.title()}"><h2>${p.title()}</h2><p class="muted">${p.help()}</p><label class="field">${p.as()}<select name="preview.submission"><option value="">${p.sample()}</option>${data.map(
    (one) => html`<option value="${one.id}">${summaryOf(one).from} · ${longText(visit, one.created_at)}</option>`,
  )}</select></label><div class="picks">${radios(
    "scheme",
    p.scheme(),
    schemes.map((scheme) => [scheme, choiceName(visit, scheme)]),
  )}${radios(
    "width",
    p.width(),
    [...widths].reverse().map((width) => [width, p.px({ count: Number(width) })]),
  )}${
    mails &&
    radios("format", p.format(), [
      ["html", p.html()],
      ["text", p.text()],
    ])
  }</div><p class="actions">${kinds.map(
    (kind) =>
      html`<button class="button" formaction="${at(kind)}" formtarget="preview" data-preview>${kinds.length === 1 ? p.show() : p.showAs({ what: p[kind]() })}</button>`,
  )}</p><div class="frame" dir="${dir}" role="group" aria-label="${p.frame()}" tabindex="0"><iframe name="preview" title="${p.title()}" src="${at(kinds[0] ?? "page")}" sandbox="allow-same-origin"></iframe></div></section>`;
}
