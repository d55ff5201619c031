import type { InboundMail } from "../../model/inbound.ts";

/** MIME parts inside each other, and bytes of headers: more is no mail that a person wrote. */
const LIMITS = { maxNestingDepth: 60, maxHeadersSize: 512 * 1024, attachmentEncoding: "arraybuffer" } as const;
/** The most Message-IDs that are looked at. */
const MOST = 100;
/** The most recipients: ours may be the last of a long list. */
const MOST_RECIPIENTS = 1_000;

/** Message-IDs in a header, without angle brackets. */
export const idsIn = (text: string | undefined | null): string[] =>
  Array.from((text ?? "").slice(0, 100_000).matchAll(/<([^<>\s]{1,998})>/g), ([, id]) => id as string);

/** The Message-IDs that a mail answers, the nearest first: a long `References` has the latest ones at its end. */
export const answersOf = (inReplyTo: string | undefined | null, references: string | undefined | null): string[] =>
  [...new Set([...idsIn(inReplyTo), ...idsIn(references).reverse()])].slice(0, MOST);

interface Mailbox {
  readonly address?: string | undefined;
  readonly group?: readonly Mailbox[] | undefined;
}

const addressesOf = (list: readonly Mailbox[] = []): string[] =>
  list
    .flatMap(({ address, group }) => (group ? addressesOf(group) : address ? [address] : []))
    .slice(0, MOST_RECIPIENTS);

/** Headers in which mail servers note the address that a mail was delivered to. */
const DELIVERED = new Set(["delivered-to", "x-original-to", "x-forwarded-to", "envelope-to", "x-envelope-to"]);

/** What else is known of a raw message, from its envelope. */
interface Envelope {
  readonly recipients?: readonly string[];
  readonly returnPath?: string | undefined;
  readonly dmarc?: string | undefined;
}

async function parser() {
  // Not `.catch()`: in a `try`, bundlers such as Turbopack take the package for optional.
  try {
    return (await import("postal-mime")).default;
  } catch (cause) {
    throw new Error("[form-backend] inbound mail needs the package postal-mime: npm install postal-mime", { cause });
  }
}

/** Reads a message in MIME. Throws for one that is nested too deep. */
export async function parseMail(raw: Uint8Array, envelope: Envelope = {}): Promise<InboundMail> {
  const PostalMime = await parser();
  const mail = await PostalMime.parse(raw as Uint8Array<ArrayBuffer>, LIMITS);
  const headers = mail.headers.map(({ key, value }) => [key.toLowerCase(), value] as const);
  const [to, cc] = [addressesOf(mail.to), addressesOf(mail.cc)];
  const delivered = headers
    .filter(([name]) => DELIVERED.has(name))
    .slice(0, MOST)
    .map(([, value]) => value.trim().replace(/^<|>$/g, ""));
  const path = headers.find(([name]) => name === "return-path")?.[1].trim();
  return {
    messageId: idsIn(mail.messageId)[0] ?? null,
    from: addressesOf(mail.from ? [mail.from as Mailbox] : [])[0] ?? "",
    recipients: [...(envelope.recipients ?? []), ...delivered, ...to, ...cc],
    to,
    cc,
    subject: mail.subject ?? "",
    text: mail.text ?? "",
    html: mail.html ?? "",
    answers: answersOf(mail.inReplyTo, mail.references),
    headers,
    files: mail.attachments.map(({ filename, mimeType, content }) => ({
      name: filename ?? "",
      mime_type: mimeType,
      content: typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content),
    })),
    returnPath: envelope.returnPath ?? (path === undefined ? undefined : path.replace(/^<|>$/g, "")),
    dmarc: envelope.dmarc,
  };
}
