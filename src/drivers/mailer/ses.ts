import { AwsClient } from "aws4fetch";
import { type Answer, apiUrlOf, call, httpMail, type Sorted, sentenceOf, textOf } from "./_http.ts";
import type { MailerDriver } from "./types.ts";

/** Options of `sesMailer`. */
export interface SesMailerOptions {
  /** The region, such as `eu-central-1`. */
  readonly region: string;
  /** The id of an access key that may `ses:SendEmail`, and `ses:GetAccount` for the check at the start. */
  readonly accessKeyId: string | undefined;
  /** Its secret. */
  readonly secretAccessKey: string | undefined;
  /** The session token of temporary credentials. */
  readonly sessionToken?: string | undefined;
  /** The API's address. Default `https://email.<region>.amazonaws.com`. */
  readonly apiUrl?: string | undefined;
}

/** SES takes headers of ASCII only, up to this length. */
const HEADER_LENGTH = 870;
/** Bytes of an encoded word, so that it keeps within its 75 characters (RFC 2047). */
const WORD_BYTES = 45;

/**
 * Sends over the HTTP API of Amazon SES (version 2), for hosts that block SMTP. SES sets a Message-ID of its own, so a retry after
 * a lost answer is a second mail. Throws a TypeError for a missing option.
 *
 * @example const mailer = sesMailer({ region: "eu-central-1", accessKeyId, secretAccessKey });
 */
export function sesMailer(options: SesMailerOptions): MailerDriver {
  const region = textOf("sesMailer", options, "region");
  const accessKeyId = textOf("sesMailer", options, "accessKeyId");
  const secretAccessKey = textOf("sesMailer", options, "secretAccessKey");
  const { sessionToken } = options;
  const api = apiUrlOf("sesMailer", options.apiUrl ?? `https://email.${region}.amazonaws.com`);
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  const client = new AwsClient({ ...credentials, region, service: "ses", retries: 0 });
  const send = async (request: Request): Promise<Response> => fetch(await client.sign(request));
  return {
    name: "ses",
    copies: true,
    async send(mail, { signal } = {}) {
      const { from, to, cc, bcc, replyTo, subject, text, html, headers, attachments, messageId } = httpMail(mail);
      // SES replaces Message-ID by its own.
      const all = [...headers, { name: "X-Message-ID", value: messageId }];
      const body = JSON.stringify({
        FromEmailAddress: ascii(from),
        Destination: { ToAddresses: to.map(ascii), CcAddresses: cc.map(ascii), BccAddresses: bcc.map(ascii) },
        ...(replyTo && { ReplyToAddresses: [ascii(replyTo)] }),
        Content: {
          Simple: {
            Subject: utf8(subject),
            Body: { Text: utf8(text), Html: utf8(html) },
            ...(attachments.length > 0 && {
              Attachments: attachments.map(({ name, mimeType, base64 }) => ({
                FileName: name,
                ContentType: mimeType,
                ContentDisposition: "ATTACHMENT",
                RawContent: base64,
              })),
            }),
            Headers: all
              .filter(({ value }) => value !== "" && /^[ -~]*$/.test(value))
              .map(({ name, value }) => ({ Name: name, Value: fitting(name, value) })),
          },
        },
      });
      const init = { method: "POST", headers: { "content-type": "application/json" }, body };
      const { MessageId } = await call(`${api}/v2/email/outbound-emails`, init, { signal, send, sort });
      return { id: typeof MessageId === "string" ? MessageId : null };
    },
    async verify() {
      await call(`${api}/v2/email/account`, {}, { send, sort });
    },
    async close() {},
  };
}

/** Throttling is a 400 of its own type; a sender who is paused or not verified yet can be put right. */
function sort(answer: Answer, headers: Headers): Sorted | undefined {
  const type = headers.get("x-amzn-errortype") ?? String(answer["__type"] ?? answer["code"] ?? "");
  if (/Throttling|TooManyRequests|LimitExceeded/.test(type)) return { code: "ERROR_EMAIL_SMTP_4XX", temporary: true };
  const isUnverified = /MessageRejected/.test(type) && /not verified/i.test(String(sentenceOf(answer)));
  if (isUnverified || /AccountSuspended|SendingPaused|MailFromDomainNotVerified/.test(type))
    return { code: "ERROR_EMAIL_AUTH", temporary: true };
  return undefined;
}

/** A header within its length. Of References, the first id and the latest stay, each whole: mail programs thread by them. */
function fitting(name: string, value: string): string {
  if (value.length <= HEADER_LENGTH || !/^references$/i.test(name)) return value.slice(0, HEADER_LENGTH);
  const [first = "", ...others] = value.split(/ +/);
  let kept = "";
  for (const id of others.reverse()) {
    if (first.length + kept.length + id.length + 1 > HEADER_LENGTH) break;
    kept = ` ${id}${kept}`;
  }
  return `${first}${kept}`;
}

const utf8 = (Data: string): object => ({ Data, Charset: "UTF-8" });

/** A name beyond ASCII as encoded words (RFC 2047), each of whole characters. */
function ascii(mailbox: string): string {
  const [, name = "", address = mailbox] = /^"(.*)" <(.+)>$/.exec(mailbox) ?? [];
  if (/^[ -~]*$/.test(name)) return mailbox;
  const words = [""];
  for (const character of name) {
    const last = words.length - 1;
    if (Buffer.byteLength(words[last] + character) > WORD_BYTES) words.push(character);
    else words[last] += character;
  }
  const encoded = words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`);
  return `${encoded.join(" ")} <${address}>`;
}
