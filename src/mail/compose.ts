import type { Core } from "../core.ts";
import type { Mail } from "../drivers/mailer/types.ts";
import type { Stored } from "../drivers/storage/types.ts";
import type { FormRecord } from "../forms/schema.ts";
import { submitterOf } from "../jobs/plan.ts";
import { html } from "../lib/html.ts";
import type { SubmissionRecord } from "../submissions/schema.ts";
import { renderHtml, renderText, type TagView } from "./tags.ts";

interface Letter {
  readonly core: Core;
  readonly form: Stored<FormRecord>;
  readonly submission_id: string;
  readonly submission: SubmissionRecord;
  readonly to: string;
  /** The delivery's id: one Message-ID over all attempts. */
  readonly jobId: string;
}

/** The owner's notification of one submission, to one recipient. */
export function ownerMail(letter: Letter): Mail {
  const { core, form, submission } = letter;
  const { subject, template, sender } = form.value.self_email_notification;
  const view = viewOf(letter);
  const replyTo = submitterOf(submission);
  const when = new Date(submission.created_at).toUTCString();
  const rows = submission.fields.map(
    ({ key, value }) =>
      html`<tr><th align="left" valign="top" style="${CELL}color:#4b5563;font-weight:600;white-space:nowrap">${key}</th><td style="${CELL}white-space:pre-wrap;word-break:break-word">${value}</td></tr>`,
  );
  return {
    ...envelope(letter),
    from: {
      name: sender.name || core.options.from.name || core.options.brand.name,
      address: sender.email || core.options.from.address,
    },
    ...(replyTo && { replyTo: { name: "", address: replyTo } }),
    subject: headline(submission.subject ?? renderText(subject, view)),
    text: `${submission.fields.map(({ key, value }) => `${key}: ${value}`).join("\n")}\n\n-- \n${form.value.name}, ${when}\n`,
    html: template.html
      ? renderHtml(template.html, view)
      : page(
          form.value.name,
          html`<h1 style="margin:0 0 16px;font-size:20px">${form.value.name}</h1>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="border-collapse:collapse">${rows}</table>
<p style="margin:24px 0 0;font-size:13px;color:#6b7280">Sent from the form “${form.value.name}” on ${when}.</p>`,
        ),
  };
}

/** The reply to the person who submitted. */
export function replyMail(letter: Letter): Mail {
  const { core, form } = letter;
  const { subject, from_name, from_email, template } = form.value.auto_response;
  const view = viewOf(letter);
  const message = renderText(template.message, view);
  return {
    ...envelope(letter),
    from: {
      name: from_name || core.options.from.name || form.value.name,
      address: from_email || core.options.from.address,
    },
    subject: headline(renderText(subject, view)),
    text: `${message}\n`,
    html: template.html
      ? renderHtml(template.html, view)
      : page(form.value.name, html`<p style="margin:0;white-space:pre-wrap">${message}</p>`),
    headers: { "Auto-Submitted": "auto-replied", "X-Auto-Response-Suppress": "All" },
  };
}

const CELL = "padding:8px 12px 8px 0;border-top:1px solid #e5e7eb;font-size:15px;line-height:1.5;";

function envelope({ core, to, jobId }: Letter): Pick<Mail, "to" | "messageId" | "date"> {
  return {
    to: { name: "", address: to },
    messageId: `${jobId}@${new URL(core.options.baseUrl).hostname}`,
    date: core.clock.now(),
  };
}

function viewOf({ form, submission_id, submission }: Letter): TagView {
  return {
    form: { id: form.id, name: form.value.name },
    submission: { id: submission_id, created_at: submission.created_at },
    fields: submission.fields,
  };
}

/** A header value can hold no line break, or it would begin another header. */
const headline = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .slice(0, 300);

function page(title: string, content: { html: string }): string {
  return `<!doctype html>${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title}</title></head>
<body style="margin:0;padding:24px 12px;background:#f3f4f6;color:#111827;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;font-size:16px;line-height:1.5">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;background:#ffffff;border:1px solid #e5e7eb;border-radius:8px"><tr><td style="padding:32px">${content}</td></tr></table>
</td></tr></table></body></html>`.html
  }`;
}
