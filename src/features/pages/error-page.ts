import { type Html, html } from "../../lib/html.ts";
import { isProtected } from "../../model/field-policy.ts";
import { type FormRecord, labelOf } from "../../model/form-record.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { control, fileControl, hidden, looksSecret } from "./controls.ts";
import { alert, lookOf, type OwnLook, picturesOf, plainLook, top } from "./form-pages.ts";
import { htmlPage, type Page } from "./page.ts";

/** A post that was refused, as its error page tells it. */
export interface Refusal {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Faults of single fields, shown at their controls; a field that was not posted gets a control as well. */
  readonly errors: Readonly<Record<string, { readonly message: string }>>;
}

interface Field {
  readonly key: string;
  readonly value: string;
}

/** The visitor's input, and the page it came from. */
export interface PostedForm {
  readonly endpoint: string;
  readonly fields: readonly Field[];
  /** Fields that steer the post, such as `_next`, and go along unseen. */
  readonly steering: readonly Field[];
  /** File inputs and how many files came by each: no page can keep those, so they are to be chosen again. */
  readonly files: readonly { readonly key: string; readonly count: number }[];
  /** True where every field is to be seen: nothing tells which of them is wrong, or there may have been more of them. */
  readonly showsAll: boolean;
  /** True where more fields may have been sent than have arrived. */
  readonly incomplete: boolean;
  /** The page with the form, where it is known. */
  readonly back: string | null;
  /** Further URLs to which the corrected post may redirect. Browsers apply `form-action` to redirects too. */
  readonly targets: readonly string[];
}

/** Trying again does not help if there is no form, or if it accepts no posts. */
const FINAL = new Set([403, 404, 405]);

/** The page after a refused post, as a response. `own` is how it looks without a form. */
export const errorPage = (
  words: Words,
  form: FormRecord | null,
  own: OwnLook,
  refusal: Refusal,
  posted: PostedForm,
): Response => htmlPage(refusedPage(words, form, own, refusal, posted));

/** The page after a refused post: it explains the error, shows the wrong fields, carries the rest along, and offers a way back. */
export function refusedPage(
  words: Words,
  form: FormRecord | null,
  own: OwnLook,
  refusal: Refusal,
  posted: PostedForm,
): Page {
  const page = form?.after_submit.page ?? null;
  const look = page ? lookOf(page) : plainLook(own);
  const pictures = page ?? picturesOf(own);
  const { status, title, message, headers } = refusal;
  const again = !FINAL.has(status) && (posted.fields.length > 0 || posted.files.length > 0);
  const back = posted.back
    ? html`<a class="button second" href="${posted.back}">${words.page.back()}</a>`
    : html`<p>${words.page.back_by_browser()}</p>`;
  return {
    words,
    title,
    look,
    status,
    headers,
    images: [pictures.logo_url, pictures.logo_dark_url],
    formTargets: [posted.endpoint, form?.after_submit.redirect.success_url ?? "", posted.back ?? "", ...posted.targets],
    content: html`${top(look, pictures, alert)}<h1>${title}</h1><p class="error" role="alert">${message}</p>${again && posted.incomplete && html`<p>${words.page.incomplete()}</p>`}${
      again
        ? formOf(words, form, refusal, posted, back)
        : html`${readOnly(words, form, posted)}<div class="actions">${back}</div>`
    }`,
  };
}

function formOf(words: Words, form: FormRecord | null, { errors }: Refusal, posted: PostedForm, back: Html): Html {
  const { endpoint, fields, steering, files, showsAll } = posted;
  const label = form ? labelOf(form) : (name: string) => name;
  const faultOf = (name: string): string | undefined =>
    Object.hasOwn(errors, name) ? errors[name]?.message : undefined;
  const shownFiles = files.filter(({ key, count }) => count > 0 || showsAll || faultOf(key) !== undefined);
  const fileNames = new Set(files.map(({ key }) => key));
  const rules = form?.validation.enabled ? form.validation.rules : [];
  // Values that must not be stored unencrypted are on no page either: the visitor types them again.
  const isPrivate = (name: string): boolean => form !== null && isProtected(form.settings.fields, name);
  const values = new Map<string, string[]>();
  for (const { key, value } of fields) values.set(key, [...(values.get(key) ?? []), isPrivate(key) ? "" : value]);
  let count = 0;
  const shown = new Set<string>();
  const controlOf = (name: string): Html => {
    shown.add(name);
    const checks = rules.filter(({ field }) => field === name).flatMap((rule) => rule.checks);
    return control(
      words,
      {
        name,
        label: label(name),
        values: values.get(name) ?? [],
        checks,
        fault: fileNames.has(name) ? undefined : faultOf(name),
      },
      `field-${count++}`,
    );
  };
  const isShown = (name: string, value: string): boolean =>
    showsAll || faultOf(name) !== undefined || (value !== "" && (looksSecret(name) || isPrivate(name)));
  const controls = [
    ...steering.map(({ key, value }) => hidden(key, value)),
    // In the order in which they came, for the fields of a submission keep theirs.
    ...fields.flatMap(({ key, value }) => {
      if (!isShown(key, value)) return [hidden(key, value)];
      return shown.has(key) ? [] : [controlOf(key)];
    }),
    ...Object.keys(errors)
      .filter((name) => !values.has(name) && !fileNames.has(name))
      .map(controlOf),
    ...shownFiles.map(({ key, count: sent }, at) =>
      fileControl(words, { name: key, label: label(key), fault: faultOf(key) }, sent, `file-${at}`),
    ),
  ];
  const encoding = shownFiles.length > 0 && html` enctype="multipart/form-data"`;
  return html`<form method="post" action="${endpoint}"${encoding}>${controls}<div class="actions"><button class="button" type="submit">${words.page.send_again()}</button>${posted.back && back}</div></form>${!posted.back && html`<div class="actions">${back}</div>`}`;
}

/** The visitor's text to copy, if it can't be sent. */
function readOnly(words: Words, form: FormRecord | null, { fields }: PostedForm): Html {
  const label = form ? labelOf(form) : (name: string) => name;
  return html`${fields
    .filter(({ key }) => !looksSecret(key) && !(form && isProtected(form.settings.fields, key)))
    .map(({ key, value }, at) =>
      control(
        words,
        { name: key, label: label(key), values: [value], checks: [], fault: undefined, readOnly: true },
        `field-${at}`,
      ),
    )}`;
}
