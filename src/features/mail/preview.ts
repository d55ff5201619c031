import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import type { Mail } from "../../drivers/mailer/types.ts";
import { prefixedId } from "../../lib/id.ts";
import { labelOf } from "../../model/form-record.ts";
import { titleIn } from "../../texts/locales/_told.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { dressed } from "../forms/dressed.ts";
import { refusedPage } from "../pages/error-page.ts";
import { thankYou } from "../pages/form-pages.ts";
import { renderPage } from "../pages/page.ts";
import type { Source } from "./preview-source.ts";
import { compose } from "./send.ts";
import { senderOf } from "./sender.ts";

/** A mail of a form as it would be sent, and what its reader needs to show it. */
export interface MailPreview {
  readonly mail: Mail;
  /** Addresses of the form's own pictures. */
  readonly pictures: readonly string[];
  readonly dir: Words["dir"];
}

/** The HTML of a page of a form. */
export interface PagePreview {
  readonly body: string;
  readonly pictures: readonly string[];
}

/** A mail about a submission. Throws `TemplateError` and `invalid_parameter`. */
export async function mailPreviewOf(
  core: Core,
  saved: Row<"forms">,
  kind: "owner_email" | "auto_response",
  { id, submission, answersTo, to, links_expire_at }: Source,
): Promise<MailPreview> {
  const form = { ...saved, value: dressed(core, saved.value) };
  const draft = {
    form,
    submission_id: id,
    submission,
    answersTo,
    to: to[kind],
    jobId: prefixedId("msg"),
    links_expire_at,
    // No link that works: people who may see a preview may not act as the sender.
    edit_url: form.value.settings.edit.enabled ? `${core.options.baseUrl}/e/…` : null,
  };
  const { mail } = await compose(core, kind, draft, await senderOf(core, form.value, kind));
  const { logo_url } = kind === "auto_response" ? form.value.auto_response : form.value.self_email_notification;
  const { dir } = core.options.languages.ofOwner(form.value.settings.language);
  return { mail, pictures: [logo_url], dir };
}

/** A page that answers a submission: the one after it, or the one that refuses it. `accepted` is the browser's `Accept-Language`. */
export function pagePreviewOf(
  core: Core,
  draft: Row<"forms">,
  kind: "page" | "error",
  source: Source,
  accepted: string | null,
): PagePreview {
  const form = dressed(core, draft.value);
  // Imports and hosts may store any text as the page's address.
  const isPage = /^https?:\/\//i.test(source.submission.referer ?? "");
  const submission = isPage ? source.submission : { ...source.submission, referer: null };
  const { referer } = submission;
  const words = core.options.languages.choose({
    form: form.settings.language,
    field: submission.language,
    header: accepted,
  });
  const page =
    kind === "page" ? thankYou(words, form, referer) : refused(core, words, { ...draft, value: form }, submission);
  const { logo_url, logo_dark_url } = form.after_submit.page;
  return { body: renderPage(page).body, pictures: [logo_url, logo_dark_url] };
}

/** The page after a post that left out a field: one with a rule, otherwise the first one. */
function refused(core: Core, words: Words, { id, value: form }: Row<"forms">, submission: Source["submission"]) {
  const { fields, referer } = submission;
  const name = form.validation.rules[0]?.field ?? fields[0]?.key ?? "email";
  const message = words.validation.required({ field: labelOf(form)(name) });
  const title = titleIn(words, "validation_failed");
  return refusedPage(
    words,
    form,
    core.options.look,
    { status: 400, title, message: words.errors.validation_failed(), headers: {}, errors: { [name]: { message } } },
    {
      endpoint: `${core.options.baseUrl}/f/${id}`,
      fields: fields.map(({ key, value }) => ({ key, value: key === name ? "" : value })),
      steering: [],
      files: [],
      showsAll: false,
      incomplete: false,
      back: referer,
      targets: [],
    },
  );
}
