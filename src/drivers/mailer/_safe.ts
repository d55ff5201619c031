import { domainOf, isEmail } from "../../lib/email.ts";
import { type Mail, type MailAddress, type MailAttachment, MailError } from "./types.ts";

// Every control character (including CR, LF, VT, FF and NEL) and the two Unicode line breaks: all characters that could end a
// header line.
const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;
// RFC 5322 ftext: printable ASCII without the colon.
const HEADER_NAME = /^[\x21-\x39\x3b-\x7e]+$/;

// An RFC 2047 encoded word would pass as plain ASCII, and readers would decode a visitor's line break out of it.
const headerText = (text: string): string => text.replace(BREAKS, " ").replaceAll("=?", "= ?").trim();
const mailbox = ({ name, address }: MailAddress): MailAddress => ({
  name: headerText(name),
  address: headerText(address),
});

const idText = (id: string): string => headerText(id).replace(/[<>\s]/g, "");

const attachment = ({ name, mimeType, content }: MailAttachment): MailAttachment => ({
  name: headerText(name) || "file",
  mimeType: /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : "application/octet-stream",
  content,
});

/** An address with its domain in Punycode: services refuse one beyond ASCII, and mail servers look for no other name. */
export function asciiDomain(address: string): string {
  const at = address.lastIndexOf("@") + 1;
  return /^[ -~]*$/.test(address.slice(at)) ? address : address.slice(0, at) + domainOf(address);
}

/** Every recipient of a mail. */
export const recipientsOf = ({ to, alsoTo = [], cc = [], bcc = [] }: Mail): string[] =>
  [to, ...alsoTo, ...cc, ...bcc].map(({ address }) => address);

/**
 * The mail as every driver may send it: recipients of one address each, no header value with a line break, a Reply-To only when it is one address.
 * Throws `MailError` `ERROR_EMAIL_INVALID_RECIPIENT` when a recipient is not exactly one address.
 */
export function safeMail(mail: Mail): Mail {
  if (!recipientsOf(mail).every(isEmail)) {
    throw new MailError("ERROR_EMAIL_INVALID_RECIPIENT", "Each recipient must be one valid email address.", {
      temporary: false,
    });
  }
  const headers = Object.entries(mail.headers ?? {}).filter(([name]) => HEADER_NAME.test(name));
  return {
    ...mail,
    from: mailbox(mail.from),
    to: mailbox(mail.to),
    ...(mail.alsoTo && { alsoTo: mail.alsoTo.map(mailbox) }),
    ...(mail.cc && { cc: mail.cc.map(mailbox) }),
    ...(mail.bcc && { bcc: mail.bcc.map(mailbox) }),
    replyTo: mail.replyTo && isEmail(mail.replyTo.address) ? mailbox(mail.replyTo) : undefined,
    subject: headerText(mail.subject),
    ...(mail.attachments && { attachments: mail.attachments.map(attachment) }),
    messageId: idText(mail.messageId),
    ...(mail.idempotencyKey !== undefined && { idempotencyKey: idText(mail.idempotencyKey) }),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, headerText(value)])),
  };
}
