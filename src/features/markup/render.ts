import { type Html, html } from "../../lib/html.ts";
import type { Words } from "../../texts/locales/_words.ts";
import type { ReadyField } from "./fields.ts";

/** A form to be written as markup. */
export interface ReadyForm {
  readonly endpoint: string;
  /** The prefix of ids. */
  readonly id: string;
  readonly fields: readonly ReadyField[];
  readonly words: Words;
  readonly valuesOf: (name: string) => readonly string[];
  readonly faultOf: (name: string) => string | undefined;
  /** Faults that belong to no field here. */
  readonly others: readonly string[];
}

/**
 * A form as indented HTML that works without a script. Faults stand in a summary before it, which leads to the fields and gets the
 * focus, and at each field, as GOV.UK's design system has them.
 */
export function formMarkup(form: ReadyForm): string {
  const { endpoint, id, fields, words } = form;
  const encoding = fields.some(({ type }) => type === "file") && html` enctype="multipart/form-data"`;
  const trap = `${id}-gotcha`;
  const lines = html`${summary(form)}<form action="${endpoint}" method="post"${encoding}>
${fields.map(
  (field, at) => html`${block(form, field, idOf(id, at))}
`,
)}  <div hidden>
    <label for="${trap}">${words.markup.leave_empty()}</label>
    <input id="${trap}" name="_gotcha" type="text" tabindex="-1" autocomplete="off">
  </div>
  <button type="submit">${words.markup.send()}</button>
</form>
`;
  return lines.html;
}

const idOf = (id: string, at: number): string => `${id}-${at + 1}`;

/** The control that the summary leads to: the first of several. */
const targetOf = ({ type, options }: ReadyField, id: string): string =>
  type === "radio" || (type === "checkbox" && options.length > 1) ? `${id}-1` : id;

// Paragraphs keep the targets apart, also on a page without styles (WCAG 2.2, 2.5.8).
function summary({ id, fields, words, faultOf, others }: ReadyForm): Html | false {
  const faults = fields.flatMap((field, at) => {
    const message = faultOf(field.name);
    const href = `#${targetOf(field, idOf(id, at))}`;
    return message === undefined
      ? []
      : [
          html`    <li><p><a href="${href}">${message}</a></p></li>
`,
        ];
  });
  const rest = others.map(
    (message) => html`    <li><p>${message}</p></li>
`,
  );
  if (faults.length + rest.length === 0) return false;
  const title = `${id}-problem`;
  return html`<div class="form-error-summary" role="alert" tabindex="-1" autofocus aria-labelledby="${title}">
  <h2 id="${title}">${words.markup.problem()}</h2>
  <ul>
${[...faults, ...rest]}  </ul>
</div>
`;
}

/** A field with its label, its hint, its fault and its control, in this order: a screen reader says them so. */
function block(form: ReadyForm, field: ReadyField, id: string): Html {
  const { words } = form;
  const fault = form.faultOf(field.name);
  const ids = [field.hint !== "" && `${id}-hint`, fault !== undefined && `${id}-error`].filter(Boolean).join(" ");
  const described = ids !== "" && html` aria-describedby="${ids}"`;
  const notes = html`${
    field.hint !== "" &&
    html`
    <p id="${id}-hint" class="form-hint">${field.hint}</p>`
  }${
    fault !== undefined &&
    html`
    <p id="${id}-error" class="form-error"><span class="form-error-prefix">${words.markup.error()}</span> ${fault}</p>`
  }`;
  const label = html`${field.label}${!field.required && html` ${words.markup.optional()}`}`;
  const invalid = fault !== undefined && html` aria-invalid="true"`;
  if (isGroup(field)) return group(form, field, id, { label, notes, described });
  if (field.type === "checkbox") {
    const [value = "on"] = field.options;
    const ticked = form.valuesOf(field.name).includes(value) && html` checked`;
    return html`  <div class="form-field">${notes}
    <input id="${id}" name="${field.name}" type="checkbox" value="${value}"${field.required && html` required`}${ticked}${invalid}${described}>
    <label for="${id}">${label}</label>
  </div>`;
  }
  return html`  <div class="form-field">
    <label for="${id}">${label}</label>${notes}
    <p>${control(form, field, html`id="${id}" name="${field.name}"`, html`${invalid}${described}`)}</p>
  </div>`;
}

const isGroup = ({ type, options }: ReadyField): boolean =>
  type === "radio" || (type === "checkbox" && options.length > 1);

/** Choices of one field: a fieldset names them all. */
function group(
  { valuesOf }: ReadyForm,
  { name, type, options, required }: ReadyField,
  id: string,
  { label, notes, described }: { readonly label: Html; readonly notes: Html; readonly described: Html | false },
): Html {
  const chosen = valuesOf(name);
  const mark = type === "radio" && required && html` required`;
  return html`  <fieldset class="form-field"${described}>
    <legend>${label}</legend>${notes}
${options.map(
  (option, at) => html`    <p>
      <input id="${id}-${at + 1}" name="${name}" type="${type}" value="${option}"${mark}${chosen.includes(option) && html` checked`}>
      <label for="${id}-${at + 1}">${option}</label>
    </p>
`,
)}  </fieldset>`;
}

function control({ words, valuesOf }: ReadyForm, field: ReadyField, named: Html, ends: Html): Html {
  const { name, type, required, options, autocomplete, pattern, minLength, maxLength } = field;
  const [value = ""] = valuesOf(name);
  const filled = autocomplete !== "" && html` autocomplete="${autocomplete}"`;
  const must = required && html` required`;
  const lengths = html`${minLength !== null && html` minlength="${minLength}"`}${maxLength !== null && html` maxlength="${maxLength}"`}`;
  switch (type) {
    case "select":
      return html`<select ${named}${filled}${must}${ends}>
      <option value="">${words.page.choose()}</option>
${options.map(
  (option) => html`      <option value="${option}"${option === value && html` selected`}>${option}</option>
`,
)}    </select>`;
    case "textarea":
      // The parser drops one line break at the start, which may be the visitor's.
      return html`<textarea ${named} rows="5"${filled}${lengths}${must}${ends}>${
        value !== "" &&
        html`
${value}`
      }</textarea>`;
    case "file":
      return html`<input ${named} type="file"${must}${ends}>`;
    case "password":
      return html`<input ${named} type="password"${filled}${must}${ends}>`;
    // A number field takes a scroll of the mouse for a change, and says nothing to what is no number.
    case "number":
      return html`<input ${named} type="text" inputmode="decimal"${filled}${must}${ends} value="${value}">`;
    case "date":
      return html`<input ${named} type="date"${filled}${must}${ends} value="${value}">`;
    default: {
      const mode = type !== "text" && html` inputmode="${type}"`;
      const shape = pattern !== "" && html` pattern="${pattern}"`;
      return html`<input ${named} type="${type}"${mode}${filled}${shape}${lengths}${must}${ends} value="${value}">`;
    }
  }
}
