import type { Mail } from "../drivers/mailer/types.ts";
import { submitterOf } from "../jobs/plan.ts";
import { type Html, html } from "../lib/html.ts";
import type { SubmissionField } from "../submissions/schema.ts";
import { textOfHtml } from "./html-text.ts";
import { type Layout, lines, type MailTheme } from "./layout.ts";
import { filesOf, isRtl, type Letter, type LetterFile, longDay, longTime, oneLine } from "./letter.ts";
import { EMPTY, fieldLines, fileLines, letterText, printable } from "./plain.ts";
import { renderHtml, renderText, type TagView } from "./tags.ts";
import { fancy } from "./themes/fancy.ts";
import { formal } from "./themes/formal.ts";

const themes: Readonly<Record<"fancy" | "formal", MailTheme>> = { fancy, formal };

// Gmail cuts a mail at 102 KB of HTML; the frame of a theme takes less than 10 KB.
const ROWS_BYTES = 80 * 1024;
const VALUE_LENGTH = 8_000;
const MESSAGE_LENGTH = 12_000;
const SHORTENED = "… (shortened here; the plain-text part of this email holds all of it)";

/** The owner's notification of one submission, to one recipient. Throws `TemplateError`. */
export function ownerMail(letter: Letter): Mail {
  const { form, submission, links_expire_at } = letter;
  const { subject, template, logo_url, logo_height } = form.value.self_email_notification;
  const files = filesOf(letter);
  const view = viewOf(letter, files);
  const replyTo = submitterOf(submission);
  const title =
    headline(submission.subject) || headline(renderText(subject, view)) || `New submission: ${form.value.name}`;
  const notice = submission.spam ? "This submission was recognised as spam." : "";
  const filesNote = files.length > 0 && links_expire_at ? `The links work until ${longDay(links_expire_at)}.` : "";
  const footer = [
    `Sent from the form “${form.value.name}” on ${longTime(submission.created_at)}.`,
    ...(replyTo ? [`Reply to this email to answer ${replyTo}.`] : []),
  ];
  return {
    ...envelope(letter, title),
    ...(replyTo && { replyTo: { name: "", address: replyTo } }),
    text: letterText(
      [
        `New submission: ${form.value.name}`,
        notice,
        fieldLines(submission.fields),
        files.length > 0 && `Files:\n${fileLines(files)}${filesNote}`,
      ],
      footer,
    ),
    html: template.html
      ? renderHtml(template.html, view)
      : themes[template.theme].page({
          ...frame(letter, title, logo_url, logo_height),
          kicker: "New submission",
          heading: form.value.name,
          notice,
          rtl: isRtl(form.value.name),
          rows: rowsOf(submission.fields, themes[template.theme], isRtl(form.value.name)),
          files: files.map(({ key, name, size, url }) => ({ name, url, note: `${size} · ${key}` })),
          filesNote,
          message: null,
          footer,
        }),
  };
}

/** The reply to the person who submitted. Throws `TemplateError`. */
export function replyMail(letter: Letter): Mail {
  const { form, submission, from } = letter;
  const { subject, template, logo_url, logo_height } = form.value.auto_response;
  const view = viewOf(letter, filesOf(letter));
  const title = headline(renderText(subject, view)) || `Your message to ${from.name || form.value.name}`;
  const custom = template.html && renderHtml(template.html, view);
  const message = printable(renderText(template.message, view));
  const footer = [
    `This is an automatic reply to a message sent with the form “${form.value.name}” on ${longTime(submission.created_at)}.`,
    "If it was not you, somebody else entered your address, and there is nothing you need to do.",
  ];
  return {
    ...envelope(letter, title),
    text: custom ? `${textOfHtml(custom)}\n` : letterText([message], footer),
    html:
      custom ||
      themes[template.theme].page({
        ...frame(letter, title, logo_url, logo_height),
        kicker: "",
        heading: from.name || form.value.name,
        rtl: isRtl(message),
        notice: "",
        rows: [],
        files: [],
        filesNote: "",
        message: lines(clipped(message, MESSAGE_LENGTH)),
        footer,
      }),
    headers: { "Auto-Submitted": "auto-replied", "X-Auto-Response-Suppress": "All" },
  };
}

function envelope({ core, from, to, jobId }: Letter, subject: string) {
  return {
    from,
    to: { name: "", address: to },
    subject,
    messageId: `${jobId}@${new URL(core.options.baseUrl).hostname}`,
    date: core.clock.now(),
  };
}

function frame(
  { form }: Letter,
  title: string,
  url: string,
  height: number,
): Pick<Layout, "title" | "logo" | "primary"> {
  return { title, logo: url ? { url, height } : null, primary: form.value.after_submit.page.primary_color };
}

/** Files are there like fields: a tag with the name of a file field is the link to the file. */
function viewOf({ form, submission_id, submission }: Letter, files: readonly LetterFile[]): TagView {
  return {
    form: { id: form.id, name: form.value.name },
    submission: { id: submission_id, created_at: submission.created_at },
    fields: [...submission.fields, ...files.map(({ key, url }) => ({ key, value: url }))],
  };
}

function rowsOf(fields: readonly SubmissionField[], theme: MailTheme, rtl: boolean): Html[] {
  const rows: Html[] = [];
  let bytes = 0;
  for (const [at, { key, value }] of fields.entries()) {
    const row = theme.row(printable(key), lines(clipped(printable(value).trim(), VALUE_LENGTH) || EMPTY), {
      first: at === 0,
      rtl,
    });
    bytes += Buffer.byteLength(row.html);
    if (bytes > ROWS_BYTES) {
      const left = `${fields.length - at} more ${fields.length - at === 1 ? "field" : "fields"}`;
      return [...rows, theme.row("…", html`${left}: see the plain-text part of this email.`, { first: false, rtl })];
    }
    rows.push(row);
  }
  return rows;
}

const clipped = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).toWellFormed()}${SHORTENED}` : text;

const headline = (text: string | null): string => {
  const line = oneLine(text ?? "");
  return line.length > 300 ? `${line.slice(0, 299).toWellFormed()}…` : line;
};
