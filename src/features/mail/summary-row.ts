import { type Html, html } from "../../lib/html.ts";
import { printable } from "../../lib/printable.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import { lines, SANS } from "./layout.ts";
import type { LetterFile } from "./letter.ts";
import { EMPTY } from "./plain.ts";

/** A row of a mail with many submissions. The styles are on the cell, so that a line of it takes few bytes. */
export const summaryRow = (content: Html): Html =>
  html`<tr><td class="line text" style="padding:16px 0;border-top:1px solid #e0e3e8;font:15px/1.55 ${SANS};color:#111827;word-break:break-word">${content}</td></tr>\n`;

/** A field: its name and value in one line, or a longer value below its name. Each runs in its own direction. */
export function fieldLine({ key, value }: SubmissionField): Html {
  const name = html`<span class="muted" style="color:#4b5563">${printable(key).replaceAll("\n", " ")}:</span>`;
  const text = printable(value).trim() || EMPTY;
  return text.includes("\n")
    ? html`<div dir="auto">${name}</div><div dir="auto" style="margin:0 0 6px">${lines(text)}</div>`
    : html`<div dir="auto">${name} <bdi>${text}</bdi></div>`;
}

/** A file as a link with its name; the address is in the plain text. */
export const fileLine = ({ key, name, size, url }: LetterFile): Html =>
  html`<div dir="auto"><a class="link" href="${url}" style="color:#2563eb">${name}</a> <span class="muted" dir="auto" style="color:#4b5563">${size} · ${printable(key).replaceAll("\n", " ")}</span></div>`;
