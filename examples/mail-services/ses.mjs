// @ts-check
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
import { AwsClient } from "aws4fetch";
import { call, clean } from "./http.mjs";

const utf8 = (/** @type {string} */ Data) => ({ Data, Charset: "UTF-8" });
/** SES takes headers of ASCII only, up to this length. */
const HEADER_LENGTH = 870;

/**
 * The credentials need `ses:SendEmail`, and `ses:GetAccount` for the check at the start.
 * @param {{ region: string, accessKeyId: string | undefined, secretAccessKey: string | undefined, sessionToken?: string, url?: string }} options
 * @returns {import("form-backend").MailerDriver}
 */
export function sesMailer({ region, accessKeyId = "", secretAccessKey = "", sessionToken, url }) {
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  const client = new AwsClient({ ...credentials, region, service: "ses", retries: 0 });
  const base = `${url ?? `https://email.${region}.amazonaws.com`}/v2/email`;
  const send = async (/** @type {Request} */ request) => fetch(await client.sign(request), { signal: request.signal });
  return {
    name: "ses",
    copies: true,
    async send(mail, { signal } = {}) {
      const { from, to, cc, bcc, replyTo, subject, text, html, headers, messageId } = clean(mail);
      const all = [...headers, { name: "X-Message-ID", value: messageId }]; // SES replaces Message-ID by its own
      const body = {
        FromEmailAddress: ascii(from),
        Destination: { ToAddresses: to.map(ascii), CcAddresses: cc.map(ascii), BccAddresses: bcc.map(ascii) },
        ...(replyTo && { ReplyToAddresses: [ascii(replyTo)] }),
        Content: {
          Simple: {
            Subject: utf8(subject),
            Body: { Text: utf8(text), Html: utf8(html) },
            Headers: all
              .filter(({ value }) => value !== "" && /^[ -~]*$/.test(value))
              .map(({ name, value }) => ({ Name: name, Value: value.slice(0, HEADER_LENGTH) })),
          },
        },
      };
      const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
      const { MessageId } = await call(`${base}/outbound-emails`, init, { signal, send });
      return { id: MessageId };
    },
    async verify() {
      await call(`${base}/account`, {}, { send });
    },
    async close() {},
  };
}

/** A name beyond ASCII as encoded words (RFC 2047), each of at most 45 bytes and of whole characters. */
function ascii(/** @type {string} */ mailbox) {
  const [, name = "", address = mailbox] = /^"(.*)" <(.+)>$/.exec(mailbox) ?? [];
  if (/^[ -~]*$/.test(name)) return mailbox;
  const words = [""];
  for (const character of name) {
    const last = words.length - 1;
    if (Buffer.byteLength(words[last] + character) > 45) words.push(character);
    else words[last] += character;
  }
  return `${words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`).join(" ")} <${address}>`;
}
