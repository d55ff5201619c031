import { type Html, html } from "../../../lib/html.ts";
import type { MemberRequest } from "../visit.ts";
import { wasName } from "./changes.ts";
import { area, choiceName, line, select } from "./inputs.ts";
import { isRows, shownText } from "./kinds.ts";
import { defaultOf, type Leaf, optionsOf } from "./leaves.ts";
import { type Destinations, otherwiseControl, routingControl } from "./routing-controls.ts";
import { labelsControl, policiesControl, rulesControl } from "./row-controls.ts";

/** A leaf on a page. */
export interface Shown {
  readonly leaf: Leaf;
  /** As stored, or as posted before. */
  readonly text: string;
  readonly was: string;
  readonly fault: string | null;
  readonly disabled: boolean;
  /** Choices that are not in the schema: the name and the words of each. */
  readonly choices?: readonly (readonly [value: string, words: string])[];
  /** The destinations of a rule. */
  readonly destinations?: Destinations;
  /** What somebody else has saved meanwhile, for comparison. */
  readonly theirs?: string | null;
  /** Said about the stored value. */
  readonly note?: string | null;
}

/** A control with its label, its help, its default and its fault. */
export function control(visit: MemberRequest, shown: Shown): Html {
  const { leaf, fault, was, disabled } = shown;
  const { path, kind } = leaf;
  const { t } = visit;
  const wrong =
    fault !== null &&
    html`<p class="error" id="${path}-fault" role="alert">${fault}</p>${
      shown.theirs &&
      html`<pre class="code" tabindex="0" dir="auto" aria-label="${t.settings.theirs()}">${shown.theirs}</pre>`
    }`;
  const help = html`<p class="muted" id="${path}-help">${t.help[path]()} ${kind !== "secret" && defaultText(visit, leaf)}${shown.note && html` <b>${shown.note}</b>`}</p>`;
  const kept = !disabled && html`<input type="hidden" name="${wasName(path)}" value="${was}">`;
  const off = disabled && html` disabled`;
  if (kind === "flag") {
    return html`<div class="field">${kept}<label class="tick" for="${path}"><input type="checkbox" id="${path}" name="${path}" value="on"${shown.text === "on" && html` checked`}${marks(shown)}${off}><span>${t.leaf[path]()}</span></label>${wrong}${help}</div>`;
  }
  if (isRows(kind)) {
    const rows = rowControls[kind];
    return html`<fieldset class="field rows" id="${path}"${marks(shown)}${off}><legend>${t.leaf[path]()}</legend>${kept}${wrong}${help}${rows(visit, path, shown.text, shown.destinations ?? nowhere)}</fieldset>`;
  }
  return html`<div class="field"><label for="${path}">${t.leaf[path]()}</label>${kept}${wrong}${one(visit, shown)}${help}</div>`;
}

const rowControls = {
  labels: labelsControl,
  policies: policiesControl,
  rules: rulesControl,
  routing: routingControl,
  target: otherwiseControl,
};
const nowhere: Destinations = { recipients: [], webhooks: [] };

/** The ids that describe a control, and its state. */
const marks = ({ leaf: { path }, fault }: Shown): Html =>
  html` aria-describedby="${fault === null ? "" : `${path}-fault `}${path}-help"${fault !== null && html` aria-invalid="true"`}`;

function one(visit: MemberRequest, shown: Shown): Html {
  const { leaf, text, disabled } = shown;
  const { path, kind } = leaf;
  const attributes = html`id="${path}" name="${path}"${marks(shown)}${disabled && html` disabled`}`;
  switch (kind) {
    case "choice":
    case "server":
    case "language":
      return select(attributes, text, choicesOf(visit, shown));
    case "area":
      return area(html`${attributes} dir="auto"`, text, 4);
    case "code":
      return area(html`${attributes} dir="ltr" spellcheck="false" class="mono"`, text, 8);
    case "lines":
      return area(html`${attributes} dir="ltr" spellcheck="false"`, text, Math.min(10, text.split("\n").length + 1));
    case "secret":
      return html`<input ${attributes} type="password" autocomplete="off" spellcheck="false" dir="ltr" value="">`;
    case "moment":
      return html`<input ${attributes} autocomplete="off" spellcheck="false" dir="ltr" value="${text}">`;
    case "number":
    case "count":
    case "days":
      return html`<input ${attributes} class="short" inputmode="${kind === "number" ? "decimal" : "numeric"}" autocomplete="off" dir="ltr" value="${text}">`;
    default:
      return line(attributes, text);
  }
}

const choicesOf = (visit: MemberRequest, { leaf, choices }: Shown): readonly (readonly [string, string])[] =>
  choices ?? optionsOf(leaf).map((value) => [value, choiceName(visit, value)] as const);

/** The default of a leaf, in words. */
function defaultText(visit: MemberRequest, leaf: Leaf): string {
  const { t } = visit;
  const value = defaultOf(leaf);
  if (typeof value === "boolean") return t.settings.default({ value: value ? t.settings.on() : t.settings.off() });
  if (value === "forever") return t.settings.default({ value: t.settings.for_ever() });
  const text = shownText(leaf.kind, value);
  if (text === "" || text === "[]" || text === "null") return t.settings.defaultNone();
  const said = leaf.kind === "choice" || leaf.kind === "language" ? choiceName(visit, text) : text;
  return t.settings.default({ value: said.length > 120 ? `${said.slice(0, 119)}…` : said });
}
