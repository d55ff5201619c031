import type { Mail, MailAddress } from "../../../drivers/mailer/types.ts";
import { type Html, html } from "../../../lib/html.ts";
import { policySources } from "../../../lib/origin.ts";
import { textResponse } from "../../../lib/response.ts";
import { privateHeaders } from "../answer.ts";
import type { MemberRequest } from "../visit.ts";

export const schemes = ["system", "light", "dark"] as const;
export type Scheme = (typeof schemes)[number];

/** A document for one scheme, whatever the reader's system has. The system's own is the document as it is sent. */
export function inScheme(document: string, scheme: Scheme): string {
  if (scheme === "system") return document;
  return document
    .replace(/\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi, (_, asked: string) =>
      asked.toLowerCase() === scheme ? "(min-width:0)" : "(max-width:0)",
    )
    .replace(/(color-scheme:\s*|color-schemes:\s*|content=")light dark/g, `$1${scheme}`);
}

/** The policy of what somebody else wrote: nothing runs, nothing is sent, and nothing is loaded but the form's pictures. */
function previewHeaders(visit: MemberRequest, pictures: readonly string[], more = ""): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self' 'unsafe-inline'",
    `img-src ${["'self'", ...policySources(pictures)].join(" ")}`,
    "frame-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    // Every page around is judged, not only the next one.
    `frame-ancestors ${["'self'", ...(visit.settings.embed?.origins ?? [])].join(" ")}`,
    // The same origin, so that our page may set styles that a proxy's policy forbids. Scripts never run.
    `sandbox allow-same-origin${more}`,
  ].join("; ");
  const older = visit.settings.embed ? {} : { "x-frame-options": "SAMEORIGIN" };
  return { ...privateHeaders(visit.settings), "content-security-policy": policy, ...older };
}

const answer = (visit: MemberRequest, body: string, pictures: readonly string[], status = 200): Response =>
  textResponse(body, status, { "content-type": "text/html; charset=utf-8", ...previewHeaders(visit, pictures) });

/** A page of a form, as visitors get it. */
export const pagePreview = (visit: MemberRequest, body: string, pictures: readonly string[]): Response =>
  answer(visit, body, pictures);

/** A document of ours around something to show. */
const around = ({ words, assets, to }: MemberRequest, title: string, content: Html): string =>
  `<!doctype html>${
    html`<html lang="${words.tag}" dir="${words.dir}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><link rel="stylesheet" href="${to(assets.theme)}"><link rel="stylesheet" href="${to(assets.css)}"></head><body class="preview-page"><main>${content}</main></body></html>`
      .html
  }`;

const addressText = ({ name, address }: MailAddress): string => (name === "" ? address : `${name} <${address}>`);

/** A mail with its head, as a mail program shows it: the HTML in a document of its own. */
export function mailPreview(visit: MemberRequest, mail: Mail, look: MailLook): Response {
  const { t } = visit;
  const { format, scheme, pictures, dir } = look;
  const lines: readonly (readonly [string, string])[] = [
    [t.preview.from(), addressText(mail.from)],
    [t.preview.to(), addressText(mail.to) || t.preview.nobody()],
    ...(mail.replyTo ? [[t.preview.replyTo(), addressText(mail.replyTo)] as const] : []),
    [t.preview.subject(), mail.subject],
  ];
  const head = html`<dl dir="${dir}">${lines.map(([name, value]) => html`<div><dt>${name}</dt><dd dir="auto">${value}</dd></div>`)}</dl>`;
  const body =
    format === "text"
      ? html`<pre dir="auto" tabindex="0">${mail.text}</pre>`
      : html`<iframe title="${t.preview.title()}" sandbox="allow-same-origin" srcdoc="${inScheme(mail.html, scheme)}"></iframe>`;
  return answer(visit, around(visit, t.preview.title(), html`${head}${body}`), pictures);
}

/** The look of a mail in a preview. */
export interface MailLook {
  readonly format: "html" | "text";
  readonly scheme: Scheme;
  readonly pictures: readonly string[];
  /** The side at which the mail begins: where it is wider than its frame, the lines above it begin there as well. */
  readonly dir: "ltr" | "rtl";
}

/** Says why there is nothing to show. */
export const faultPreview = (visit: MemberRequest, message: string): Response =>
  answer(visit, around(visit, visit.t.preview.title(), html`<p class="error" role="alert">${message}</p>`), [], 400);

/** A result of ours in a frame. Its links open in a tab of their own. */
export const trialAnswer = (visit: MemberRequest, title: string, content: Html, status: number): Response =>
  textResponse(around(visit, title, content), status, {
    "content-type": "text/html; charset=utf-8",
    ...previewHeaders(visit, [], " allow-popups allow-popups-to-escape-sandbox"),
  });
