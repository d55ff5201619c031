import type { Row } from "../../../core/rows.ts";
import { ApiError } from "../../../errors.ts";
import { compose } from "../../../features/mail/send.ts";
import { senderOf } from "../../../features/mail/sender.ts";
import { refusedPage } from "../../../features/pages/error-page.ts";
import { thankYou } from "../../../features/pages/form-pages.ts";
import { renderPage } from "../../../features/pages/page.ts";
import { prefixedId } from "../../../lib/id.ts";
import { TemplateError } from "../../../lib/template.ts";
import { labelOf } from "../../../model/form-record.ts";
import { titleIn } from "../../../texts/locales/_told.ts";
import type { Words } from "../../../texts/locales/_words.ts";
import { posted } from "../body.ts";
import { faultPreview, inScheme, mailPreview, pagePreview, type Scheme, schemes } from "../preview/documents.ts";
import { draftOf, type Source, sourceOf } from "../preview/source.ts";
import { LIMITS } from "../settings/changes.ts";
import type { Section } from "../settings/leaves.ts";
import type { MemberRequest } from "../visit.ts";
import { formOf } from "./_form-head.ts";

/** What can be previewed, and the page of settings that it belongs to. */
export const previews = {
  page: "after-submit",
  error: "after-submit",
  notification: "notification",
  reply: "reply",
} as const satisfies Record<string, Section>;
export type PreviewKind = keyof typeof previews;

/** A page or a mail of a form, from settings that need not be saved, and a submission. */
export async function previewScreen(visit: MemberRequest, kind: PreviewKind): Promise<Response> {
  const { exchange } = visit;
  const body = exchange.request.method === "POST" ? await posted(exchange.request, LIMITS) : new URLSearchParams();
  const asked = (name: string): string => visit.query.get(name) ?? body.get(`preview.${name}`) ?? "";
  const scheme = schemes.find((one) => one === asked("scheme")) ?? "system";
  const form = await formOf(visit);
  try {
    const draft = await draftOf(visit, form, previews[kind], body);
    const source = await sourceOf(visit, draft, asked("submission"));
    const ids = asked("submission") === "" ? [] : [source.id];
    if (ids.length > 0) visit.note("read", { team_id: form.team_id, form_id: form.id, ids });
    if (kind === "page" || kind === "error") return pageOf(visit, kind, { draft, source, scheme });
    return await mailOf(visit, kind, { draft, source, scheme, format: asked("format") === "text" ? "text" : "html" });
  } catch (error) {
    if (error instanceof TemplateError) return faultPreview(visit, error.message);
    if (error instanceof ApiError && error.code === "invalid_parameter") return faultPreview(visit, error.message);
    throw error;
  }
}

interface Asked {
  readonly draft: Row<"forms">;
  readonly source: Source;
  readonly scheme: Scheme;
}

async function mailOf(
  visit: MemberRequest,
  preview: "notification" | "reply",
  { draft: form, source, scheme, format }: Asked & { readonly format: "html" | "text" },
): Promise<Response> {
  const { core } = visit;
  const kind = preview === "reply" ? "auto_response" : "owner_email";
  const { id, submission, answersTo, to, links_expire_at } = source;
  const draft = {
    form,
    submission_id: id,
    submission,
    answersTo,
    to: to[kind],
    jobId: prefixedId("msg"),
    links_expire_at,
  };
  const { mail } = await compose(core, kind, draft, await senderOf(core, form.value, kind));
  const { logo_url } = kind === "auto_response" ? form.value.auto_response : form.value.self_email_notification;
  const { dir } = core.options.languages.ofOwner(form.value.settings.language);
  return mailPreview(visit, mail, { format, scheme, pictures: [logo_url], dir });
}

function pageOf(visit: MemberRequest, kind: "page" | "error", { draft, source, scheme }: Asked): Response {
  const { core } = visit;
  const form = draft.value;
  // Imports and hosts may store any text as the page's address.
  const isPage = /^https?:\/\//i.test(source.submission.referer ?? "");
  const submission = isPage ? source.submission : { ...source.submission, referer: null };
  const { referer } = submission;
  const words = core.options.languages.choose({
    form: form.settings.language,
    field: submission.language,
    header: visit.exchange.request.headers.get("accept-language"),
  });
  const page = kind === "page" ? thankYou(words, form, referer) : refused(words, draft, visit, submission);
  const { logo_url, logo_dark_url } = form.after_submit.page;
  return pagePreview(visit, inScheme(renderPage(page).body, scheme), [logo_url, logo_dark_url]);
}

/** The page after a post that left out a field: one with a rule, otherwise the first one. */
function refused(
  words: Words,
  { id, value: form }: Row<"forms">,
  { core }: MemberRequest,
  submission: Source["submission"],
) {
  const { fields, referer } = submission;
  const name = form.validation.rules[0]?.field ?? fields[0]?.key ?? "email";
  const message = words.validation.required({ field: labelOf(form)(name) });
  const title = titleIn(words, "validation_failed");
  return refusedPage(
    words,
    form,
    { status: 400, title, message: words.errors.validation_failed(), headers: {}, errors: { [name]: { message } } },
    {
      endpoint: `${core.options.baseUrl}/f/${id}`,
      fields: fields.map(({ key, value }) => ({ key, value: key === name ? "" : value })),
      steering: [],
      files: [],
      showsAll: false,
      incomplete: false,
      back: referer,
    },
  );
}
