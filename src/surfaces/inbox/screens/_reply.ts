import { type Html, html } from "../../../lib/html.ts";
import { addressIn } from "../../../model/sender.ts";
import type { HostSubmission } from "../../../model/submissions.ts";
import { longText } from "../layout/time.ts";
import type { MemberRequest } from "../visit.ts";

/** Programs take an address of about 2,000 characters. */
const QUOTED = 800;

/** A link to the composer; for those who may not write, one that opens their own mail program with the visitor's text. */
export function replyLink(
  visit: MemberRequest,
  submission: HostSubmission,
  form: string | null,
  writes: boolean,
): Html | null {
  const address = addressIn(submission.fields);
  if (address === null) return null;
  const { t } = visit;
  // The composer stands below the message.
  if (writes) return html`<a class="button primary" href="#reply-text" data-key="r">${t.item.reply()}</a>`;
  const text = submission.fields
    .slice(0, 50)
    .filter(({ value }) => value.trim() !== "" && value.trim() !== address)
    .map(({ value }) => value.trim())
    .join("\n\n")
    .slice(0, QUOTED);
  const quoted = text.split(/\r?\n/).map((line) => `> ${line}`);
  const body = ["", "", t.item.quote({ time: longText(visit, submission.created_at) }), ...quoted].join("\r\n");
  const subject = t.item.subject({ form: form ?? t.item.formGone() });
  const query = [`subject=${encoded(subject)}`, `body=${encoded(body)}`].join("&");
  return html`<a class="button primary" href="mailto:${encoded(address)}?${query}" data-key="r">${t.item.reply()}</a>`;
}

/** Half of a surrogate pair, which a cut may leave, can't be encoded. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());
