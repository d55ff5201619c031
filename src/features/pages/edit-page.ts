import { html } from "../../lib/html.ts";
import { isProtected } from "../../model/field-policy.ts";
import { type FormRecord, labelOf } from "../../model/form-record.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { control, fileControl, hidden } from "./controls.ts";
import { lookOf, top } from "./form-pages.ts";
import { htmlPage } from "./page.ts";

/** A stored submission, as its sender may change it. */
export interface EditForm {
  readonly words: Words;
  readonly form: FormRecord;
  readonly action: string;
  readonly fields: readonly SubmissionField[];
  /** The fields with files, and the number of files in each. */
  readonly files: readonly { readonly key: string; readonly count: number }[];
  /** Fields that go along unseen. */
  readonly steering: readonly SubmissionField[];
  /** The one that can't be changed any more. */
  readonly fixed: string | null;
  readonly errors: Readonly<Record<string, { readonly message: string }>>;
  /** A sentence above the form, and whether it tells of a fault. */
  readonly note: string;
  readonly isFault: boolean;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The page on which a sender changes what was sent. It posts to its own address. */
export function editPage(given: EditForm): Response {
  const { words, form, action, fields, files, steering, fixed, errors, note, isFault, status, headers = {} } = given;
  const { page } = form.after_submit;
  const look = lookOf(page);
  const label = labelOf(form);
  const policies = form.settings.fields;
  const rules = form.validation.enabled ? form.validation.rules : [];
  const fileNames = new Set(files.map(({ key }) => key));
  const values = new Map<string, string[]>();
  for (const { field } of rules) if (!fileNames.has(field)) values.set(field, []);
  const sent = new Map<string, string[]>();
  for (const { key, value } of fields) {
    sent.set(key, [...(sent.get(key) ?? []), isProtected(policies, key) ? "" : value]);
  }
  // The fields in the order in which they came, then those that only the rules name: unticked boxes, for example.
  const names = new Set([
    ...sent.keys(),
    ...values.keys(),
    ...Object.keys(errors).filter((key) => !fileNames.has(key)),
  ]);
  const faultOf = (name: string) => (Object.hasOwn(errors, name) ? errors[name]?.message : undefined);
  const controls = Array.from(names, (name, at) => {
    const checks = rules.filter(({ field }) => field === name).flatMap((rule) => rule.checks);
    const one = control(
      words,
      {
        name,
        label: label(name),
        values: sent.get(name) ?? [],
        checks,
        fault: faultOf(name),
        readOnly: name === fixed,
      },
      `field-${at}`,
    );
    return isProtected(policies, name) ? html`${one}<p class="hint">${words.edit.keep()}</p>` : one;
  });
  const inputs = files.map(({ key }, at) => {
    const input = fileControl(words, { name: key, label: label(key), fault: faultOf(key) }, 0, `file-${at}`);
    return html`${input}<p class="hint">${words.edit.keep_files()}</p>`;
  });
  const encoding = files.length > 0 && html` enctype="multipart/form-data"`;
  return htmlPage({
    words,
    title: words.edit.title(),
    look,
    status,
    headers,
    images: [page.logo_url, page.logo_dark_url],
    formTargets: [action],
    content: html`${top(look, page, html``)}<h1>${words.edit.title()}</h1><p${isFault && html` class="error" role="alert"`}>${note}</p><form method="post" action="${action}"${encoding}>${steering.map(
      ({ key, value }) => hidden(key, value),
    )}${controls}${inputs}<div class="actions"><button class="button" type="submit">${words.edit.save()}</button></div></form>`,
  });
}
