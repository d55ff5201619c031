import { type Html, html } from "../../lib/html.ts";
import type { Check } from "../../model/rules.ts";
import type { Words } from "../../texts/locales/_words.ts";

/** A field of the error page that the visitor is to fill in or to look at. */
export interface Control {
  readonly name: string;
  readonly label: string;
  /** The values that came; none where the field was not posted at all. */
  readonly values: readonly string[];
  /** The form's checks of it. */
  readonly checks: readonly Check[];
  /** The error message next to it. */
  readonly fault: string | undefined;
  readonly readOnly?: boolean;
}

/** Names of fields whose values are on no page: passwords, card numbers and similar. */
export const looksSecret = (name: string): boolean => /pass|token|card|cvv|ssn|secret/i.test(name);

/** Up to this many choices are shown at once; more become a list. */
export const MAX_RADIOS = 6;
/** A value or a limit beyond this is not for one line. */
const ONE_LINE = 80;
/** Usual values of a lone checkbox; a check for one of these reveals no answer. */
export const TICKED = new Set(["on", "yes", "true", "1"]);
/** Radio buttons without a choice are left out of a post, like checkboxes; only the name shows which one to tick. */
export const CONSENTS =
  /agree|accept|acept|accett|akkoord|consen|terms|conditions|privacy|policy|gdpr|rgpd|dsgvo|agb|datenschutz|zustimm|einwillig|newsletter|subscribe|opt[-_]?in|checkbox/i;
export const LONG_TEXTS = /message|comment|description|feedback|question/i;

/**
 * The control that fits a field, as far as its checks, its values and its absence show: a browser leaves out only unticked and
 * unchosen controls. `id` is the control's own, and the prefix of its parts.
 */
export function control(words: Words, field: Control, id: string): Html {
  const [first = "", ...more] = field.values;
  if (field.readOnly) return text(field, id, first);
  if (looksSecret(field.name)) return secret(words, field, id);
  const options = choicesOf(field.checks);
  if (options) {
    if (field.values.length > 1) return choices(field, id, options, "checkbox");
    return options.length > MAX_RADIOS ? select(words, field, id, options) : choices(field, id, options, "radio");
  }
  const ticked = tickOf(field);
  if (ticked !== null) return tick(field, id, ticked);
  // Of inputs with one name the first carries the message.
  return html`${text(field, id, first)}${more.map((value, at) => text({ ...field, fault: undefined }, `${id}-${at}`, value))}`;
}

/** A file input; no page can keep files, so that they are to be chosen again. */
export function fileControl(words: Words, field: Omit<Control, "values" | "checks">, count: number, id: string): Html {
  const { name, label, fault } = field;
  const hint = count > 0 && words.page.choose_again({ count });
  return html`<div class="field"><label for="${id}">${label}</label><input type="file" id="${id}" name="${name}"${count > 1 && html` multiple`}${marks(id, fault, hint)}>${notes(id, fault, hint)}</div>`;
}

/** A field that goes along unseen. */
export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;

/** The values of a `one_of` check, if there is one. */
export function choicesOf(checks: readonly Check[]): string[] | null {
  const listed = checks.find(({ type }) => type === "one_of");
  const options = listed?.value.split(",").map((option) => option.trim()) ?? [];
  return options.some((option) => option !== "") ? [...new Set(options.filter((option) => option !== ""))] : null;
}

/** The value of the checkbox that the field seems to be, null where it seems to be another control. */
function tickOf({ name, values, checks }: Control): string | null {
  const wanted = checks.find(({ type }) => type === "equals")?.value.trim();
  if (values.length > 0) return values.length === 1 && values[0] === "on" ? "on" : null;
  if (wanted !== undefined) return TICKED.has(wanted.toLowerCase()) ? wanted : null;
  return CONSENTS.test(name) && checks.every(({ type }) => type === "required") ? "on" : null;
}

function text(field: Control, id: string, value: string): Html {
  const { name, label, fault, checks, readOnly } = field;
  const has = (type: Check["type"]): boolean => checks.some((check) => check.type === type);
  const limit = Math.max(...checks.map(({ type, value }) => (/^(min|max)_length$/.test(type) ? Number(value) : 0)), 0);
  const attributes = html`id="${id}" name="${name}" dir="auto"${readOnly && html` readonly`}${marks(id, fault)}`;
  const long = value.includes("\n") || value.length > ONE_LINE || limit > ONE_LINE || LONG_TEXTS.test(name);
  // Not `type="email"` and similar: the browser's own check would stop visitors from sending values that the form accepts.
  const kind = has("email")
    ? html` inputmode="email" autocomplete="email"`
    : has("phone")
      ? html` type="tel" autocomplete="tel"`
      : has("url")
        ? html` inputmode="url"`
        : has("date") && /^(\d{4}-\d\d-\d\d)?$/.test(value)
          ? html` type="date"`
          : (has("number") || has("min") || has("max")) && html` inputmode="decimal"`;
  return html`<div class="field"><label for="${id}">${label}</label>${
    long
      ? // The parser drops one line break at the start of a textarea, which may be the visitor's.
        html`<textarea ${attributes} rows="4">${{ html: "\n" }}${value}</textarea>`
      : html`<input ${attributes}${kind} value="${value}">`
  }${notes(id, fault)}</div>`;
}

/** An empty input; the value that came is not shown. */
function secret(words: Words, { name, label, values, fault }: Control, id: string): Html {
  const hint = values.some((value) => value !== "") && words.page.value_again();
  return html`<div class="field"><label for="${id}">${label}</label><input type="password" autocomplete="off" id="${id}" name="${name}"${marks(id, fault, hint)}>${notes(id, fault, hint)}</div>`;
}

function tick({ name, label, values, fault }: Control, id: string, value: string): Html {
  return html`<div class="field"><label class="choice" for="${id}"><input type="checkbox" id="${id}" name="${name}" value="${value}"${values.includes(value) && html` checked`}${marks(id, fault)}><span>${label}</span></label>${notes(id, fault)}</div>`;
}

function choices(
  { name, label, values, fault }: Control,
  id: string,
  options: readonly string[],
  type: "radio" | "checkbox",
): Html {
  const known = values.map((value) => value.trim());
  const role =
    type === "radio" ? html` role="radiogroup"${marks(id, fault)}` : html` role="group"${describedBy(id, fault)}`;
  return html`<fieldset class="field"${role}><legend>${label}</legend>${options.map(
    (option, at) =>
      html`<label class="choice" for="${id}-${at}"><input type="${type}" id="${id}-${at}" name="${name}" value="${option}"${known.includes(option) && html` checked`}><span>${option}</span></label>`,
  )}${notes(id, fault)}</fieldset>`;
}

function select(words: Words, { name, label, values, fault }: Control, id: string, options: readonly string[]): Html {
  const known = values[0]?.trim();
  return html`<div class="field"><label for="${id}">${label}</label><select id="${id}" name="${name}"${marks(id, fault)}><option value="">${words.page.choose()}</option>${options.map(
    (option) => html`<option${option === known && html` selected`}>${option}</option>`,
  )}</select>${notes(id, fault)}</div>`;
}

const marks = (id: string, fault: string | undefined, hint?: string | false): Html =>
  html`${fault !== undefined && html` aria-invalid="true"`}${describedBy(id, fault, hint)}`;

function describedBy(id: string, fault: string | undefined, hint?: string | false): Html {
  const ids = [hint && `${id}-hint`, fault !== undefined && `${id}-error`].filter(Boolean).join(" ");
  return html`${ids !== "" && html` aria-describedby="${ids}"`}`;
}

const notes = (id: string, fault: string | undefined, hint?: string | false): Html =>
  html`${hint && html`<p id="${id}-hint">${hint}</p>`}${fault !== undefined && html`<p class="error" id="${id}-error">${fault}</p>`}`;
