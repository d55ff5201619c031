import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import type { Mail, MailAddress } from "../../drivers/mailer/types.ts";
import { escapeHtml, html } from "../../lib/html.ts";
import { oneLine } from "../../lib/one-line.ts";
import { printable } from "../../lib/printable.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { labelOf } from "../../model/form-record.ts";
import type { MessageRecord } from "../../model/messages.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { fileUrl } from "../files/links.ts";
import { lines, SANS } from "../mail/layout.ts";
import { isRtl } from "../mail/letter.ts";
import { fieldLines } from "../mail/plain.ts";

/** Characters of the original below an answer. */
const MOST_QUOTED = 8_000;

interface Parts {
  readonly words: Words;
  readonly from: MailAddress;
  readonly replyTo: MailAddress | undefined;
  readonly to: { readonly to: string; readonly alsoTo: readonly string[]; readonly cc: readonly string[] };
  /** What the visitor wrote last, and when. */
  readonly quoted: { readonly text: string; readonly at: string };
  /** Epoch ms. */
  readonly linksExpireAt: number;
}

/** An answer as a mail: what the person wrote, links to the files, and the original quoted below. */
export function replyMail(core: Core, value: MessageRecord, parts: Parts): Mail {
  const { words, from, replyTo, to, quoted, linksExpireAt } = parts;
  const text = printable(value.text).trim();
  const files = value.attachments.map(({ file_id, name }) => ({
    name: oneLine(name),
    url: fileUrl(core, file_id, name, linksExpireAt),
  }));
  const intro = words.messages.wrote({ time: words.time(quoted.at) });
  const original = printable(quoted.text).trim();
  const cut = original.length > MOST_QUOTED ? `${original.slice(0, MOST_QUOTED).toWellFormed()}\n…` : original;
  const list = files.map(({ name, url }) => `- ${name}\n  ${url}`).join("\n");
  const quote = cut === "" ? "" : `${intro}\n${cut.replace(/^/gm, "> ")}`;
  const [parent] = value.references.slice(-1);
  const address = (one: string): MailAddress => ({ name: "", address: one });
  return {
    from,
    to: address(to.to),
    ...(to.alsoTo.length > 0 && { alsoTo: to.alsoTo.map(address) }),
    ...(to.cc.length > 0 && { cc: to.cc.map(address) }),
    ...(replyTo && { replyTo }),
    subject: oneLine(value.subject),
    messageId: value.message_id ?? "",
    date: core.clock.now(),
    headers: {
      ...(parent !== undefined && { "In-Reply-To": `<${parent}>` }),
      ...(value.references.length > 0 && { References: value.references.map((id) => `<${id}>`).join(" ") }),
    },
    text: `${[text, list, quote].filter(Boolean).join("\n\n")}\n`,
    html: `<!doctype html>\n${
      html`<html lang="${words.tag}" dir="${isRtl(text) ? "rtl" : "ltr"}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${oneLine(value.subject)}</title></head>
<body style="font:15px/1.5 ${SANS}">
<div dir="auto">${lines(text)}</div>${
        files.length > 0 &&
        html`\n<ul>${files.map(({ name, url }) => html`<li><a href="${url}"><bdi>${name}</bdi></a></li>`)}</ul>`
      }${
        cut !== "" &&
        html`\n<p style="color:#667085" dir="${words.dir}">${intro}</p>\n<blockquote type="cite" dir="auto" style="margin:0 0 0 4px;padding-left:12px;border-left:2px solid #d0d5dd;color:#475467">${{ html: escapeHtml(cut).replaceAll("\n", "<br>\n") }}</blockquote>`
      }
</body>
</html>
`.html
    }`,
  };
}

/** What the visitor wrote last before an answer: their latest mail, otherwise the submission as mails may show it. */
export function quotedFor(
  form: FormRecord,
  seen: SubmissionRecord,
  thread: readonly Row<"messages">[],
  { created_at, references }: MessageRecord,
): Parts["quoted"] {
  const last = thread.findLast(
    ({ value }) =>
      value.direction === "in" &&
      !value.automatic &&
      value.created_at <= created_at &&
      references.includes(value.message_id ?? ""),
  );
  if (last) return { text: last.value.text, at: last.value.created_at };
  const label = labelOf(form);
  return { text: fieldLines(seen.fields.map(({ key, value }) => ({ key: label(key), value }))), at: seen.created_at };
}
