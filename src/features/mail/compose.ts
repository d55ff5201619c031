import type { Mail, MailAddress } from "../../drivers/mailer/types.ts";
import { type Html, html } from "../../lib/html.ts";
import { textOfHtml } from "../../lib/html-text.ts";
import { oneLine } from "../../lib/one-line.ts";
import { printable } from "../../lib/printable.ts";
import { type TagView, tagBudget, unknownTags } from "../../lib/tags.ts";
import { labelOf } from "../../model/form-record.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import { translated } from "../../texts/locales/_languages.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { type Layout, lines, type MailTheme } from "./layout.ts";
import { isRtl, type Letter, type LetterFile, type MailKind } from "./letter.ts";
import { EMPTY, fieldLines, fileLines, letterText } from "./plain.ts";
import { renderHtml, renderText } from "./tags.ts";
import { fancy } from "./themes/fancy.ts";
import { formal } from "./themes/formal.ts";

const themes: Readonly<Record<"fancy" | "formal", MailTheme>> = { fancy, formal };

// Gmail cuts a mail at 102 KB of HTML; the frame of a theme takes less than 10 KB.
const ROWS_BYTES = 80 * 1024;
const VALUE_LENGTH = 8_000;
const MESSAGE_LENGTH = 12_000;

/**
 * A mail of a form. It depends on the letter alone, so what an owner previews is what is sent. Throws `TemplateError`.
 */
export const renderMail = (kind: MailKind, letter: Letter): Promise<Mail> =>
  kind === "auto_response" ? replyMail(letter) : ownerMail(letter);

/** Tags of the owner's own templates that name no field of the submission. */
export function unknownTagsOf(kind: MailKind, letter: Letter): string[] {
  const { auto_response, self_email_notification } = letter.form.value;
  const { subject, template } = kind === "auto_response" ? auto_response : self_email_notification;
  const texts = [subject, template.html, "message" in template ? template.message : ""];
  return [...new Set(texts.flatMap((text) => unknownTags(text, viewOf(letter, letter.files))))];
}

/** The owner's notification of one submission, to one recipient. Throws `TemplateError`. */
async function ownerMail(letter: Letter): Promise<Mail> {
  const { form, submission, links_expire_at, words, files, answersTo: replyTo } = letter;
  const { subject, template, logo_url, logo_height } = form.value.self_email_notification;
  const view = viewOf(letter, files);
  const label = labelOf(form.value);
  const shown = submission.fields.map(({ key, value }) => ({ key: label(key), value }));
  const shownFiles = files.map((file) => ({ ...file, key: label(file.key) }));
  const budget = tagBudget();
  const { name } = form.value;
  const said = words.notification;
  const own = translated(subject, words, ({ defaults }) => defaults.owner_subject({ form: "{{form.name}}" }));
  const chosen = submission.routed_to?.subject;
  const title =
    // The owner's rule knows more of the submission than the page that posted it.
    (chosen && headline(await renderText(chosen, view, budget))) ||
    headline(submission.subject) ||
    headline(await renderText(own, view, budget)) ||
    headline(said.title({ form: name }));
  const notice = submission.spam ? said.spam() : "";
  const filesNote = files.length > 0 && links_expire_at ? said.links_until({ date: words.day(links_expire_at) }) : "";
  const footer = [
    said.sent_from({ form: name, time: words.time(submission.created_at) }),
    ...(replyTo ? [said.reply_to({ address: replyTo })] : []),
  ];
  const rtl = words.dir === "rtl" || isRtl(name);
  return {
    ...envelope(letter, title),
    ...(replyTo && { replyTo: { name: "", address: replyTo } }),
    text: letterText(
      [
        said.title({ form: name }),
        notice,
        fieldLines(shown),
        files.length > 0 && `${said.files()}:\n${fileLines(shownFiles)}${filesNote}`,
      ],
      footer,
    ),
    html: template.html
      ? await renderHtml(template.html, view, budget)
      : themes[template.theme].page({
          ...frame(letter, title, logo_url, logo_height),
          kicker: said.kicker(),
          heading: name,
          notice,
          rtl,
          rows: rowsOf(shown, themes[template.theme], rtl, words),
          files: shownFiles.map(({ key, name, size, url }) => ({ name, url, note: `${size} · ${key}` })),
          filesNote,
          message: null,
          footer,
        }),
  };
}

/** The reply to the person who submitted. Throws `TemplateError`. */
async function replyMail(letter: Letter): Promise<Mail> {
  const { form, submission, from, words } = letter;
  const { subject, template, logo_url, logo_height } = form.value.auto_response;
  const view = viewOf(letter, letter.files);
  const budget = tagBudget();
  const { name } = form.value;
  const own = translated(subject, words, ({ defaults }) => defaults.reply_subject());
  const text = translated(template.message, words, ({ defaults }) => defaults.reply_message());
  const title =
    headline(await renderText(own, view, budget)) || headline(words.reply.title({ name: from.name || name }));
  const custom = template.html && (await renderHtml(template.html, view, budget));
  const message = printable(await renderText(text, view, budget));
  const footer = [
    words.reply.automatic({ form: name, time: words.time(submission.created_at) }),
    words.reply.not_you(),
  ];
  return {
    ...envelope(letter, title),
    text: custom ? `${textOfHtml(custom)}\n` : letterText([message], footer),
    html:
      custom ||
      themes[template.theme].page({
        ...frame(letter, title, logo_url, logo_height),
        kicker: "",
        heading: from.name || name,
        rtl: words.dir === "rtl" || isRtl(message),
        notice: "",
        rows: [],
        files: [],
        filesNote: "",
        message: lines(clipped(message, MESSAGE_LENGTH, words)),
        footer,
      }),
    headers: { "Auto-Submitted": "auto-replied", "X-Auto-Response-Suppress": "All" },
  };
}

const envelope = ({ from, to, copies, messageId, date }: Letter, subject: string) => ({
  from,
  to: mailbox(to),
  ...(copies && { alsoTo: copies.to.map(mailbox), cc: copies.cc.map(mailbox), bcc: copies.bcc.map(mailbox) }),
  subject,
  messageId,
  date,
});

const mailbox = (address: string): MailAddress => ({ name: "", address });

function frame(
  { form, words }: Letter,
  title: string,
  url: string,
  height: number,
): Pick<Layout, "words" | "title" | "logo" | "primary"> {
  return { words, title, logo: url ? { url, height } : null, primary: form.value.after_submit.page.primary_color };
}

/** Files are there like fields: a tag with the name of a file field is the link to the file. */
function viewOf({ form, submission_id, submission, edit_url }: Letter, files: readonly LetterFile[]): TagView {
  return {
    form: { id: form.id, name: form.value.name, team_id: form.value.team_id },
    submission: { id: submission_id, created_at: submission.created_at },
    fields: [...submission.fields, ...files.map(({ key, url }) => ({ key, value: url }))],
    // Also where there is none: a field of that name must not be a link of the visitor's.
    more: new Map([["edit_url", edit_url ?? ""]]),
  };
}

function rowsOf(fields: readonly SubmissionField[], theme: MailTheme, rtl: boolean, words: Words): Html[] {
  const rows: Html[] = [];
  let bytes = 0;
  for (const [at, { key, value }] of fields.entries()) {
    const row = theme.row(printable(key), lines(clipped(printable(value).trim(), VALUE_LENGTH, words) || EMPTY), {
      first: at === 0,
      rtl,
    });
    bytes += Buffer.byteLength(row.html);
    if (bytes > ROWS_BYTES) {
      const left = words.notification.more_fields({ count: fields.length - at });
      return [...rows, theme.row("…", html`${left}`, { first: false, rtl })];
    }
    rows.push(row);
  }
  return rows;
}

const clipped = (text: string, length: number, words: Words): string =>
  text.length > length ? `${text.slice(0, length).toWellFormed()}${words.notification.shortened()}` : text;

const headline = (text: string | null): string => {
  const line = oneLine(text ?? "");
  return line.length > 300 ? `${line.slice(0, 299).toWellFormed()}…` : line;
};
