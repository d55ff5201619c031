import { type Html, html } from "../../../lib/html.ts";
import type { MemberRequest } from "../visit.ts";

/** Names of services, the same in every language. */
const services: Readonly<Record<string, string>> = {
  recaptcha: "reCAPTCHA",
  hcaptcha: "hCaptcha",
  turnstile: "Turnstile",
  friendly_captcha: "Friendly Captcha",
  altcha: "ALTCHA",
  formspree: "Formspree",
  formcarry: "Formcarry",
  web3forms: "Web3Forms",
  staticforms: "StaticForms",
  formsubmit: "FormSubmit",
  netlify: "Netlify Forms",
  basin: "Basin",
  formspark: "Formspark",
};

/** The words of a choice. */
export function choiceName({ t }: MemberRequest, value: string): string {
  const words = t.choice as Readonly<Record<string, () => string>>;
  return (Object.hasOwn(words, value) ? words[value]?.() : undefined) ?? services[value] ?? value;
}

/** One line, or a box where the text has several: an input would drop the breaks. */
export const line = (attributes: Html, text: string): Html =>
  text.includes("\n")
    ? area(html`${attributes} dir="auto"`, text, 3)
    : html`<input ${attributes} autocomplete="off" dir="auto" value="${text}">`;

/** A box. The parser drops one line break at its start, which may be the text's own. */
export const area = (attributes: Html, text: string, rows: number): Html =>
  html`<textarea ${attributes} rows="${rows}">${{ html: "\n" }}${text}</textarea>`;

/** A list of choices; a value that is no longer among them stays what it is. */
export function select(attributes: Html, text: string, choices: readonly (readonly [string, string])[]): Html {
  const known = choices.some(([value]) => value === text) ? choices : [...choices, [text, text] as const];
  return html`<select ${attributes}>${known.map(
    ([value, words]) => html`<option value="${value}"${value === text && html` selected`}>${words}</option>`,
  )}</select>`;
}
