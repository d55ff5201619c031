// @ts-check
// https://postmarkapp.com/developer/api/email-api
import { call, clean } from "./http.mjs";

/** The recipient bounced before or complained: https://postmarkapp.com/developer/api/overview#error-codes */
const INACTIVE_RECIPIENT = 406;

/**
 * @param {{ token: string | undefined, stream?: string, url?: string }} options the token of a server, and its message stream
 * @returns {import("form-backend").MailerDriver}
 */
export function postmarkMailer({ token, stream = "outbound", url = "https://api.postmarkapp.com" }) {
  const headers = {
    "X-Postmark-Server-Token": String(token),
    Accept: "application/json",
    "Content-Type": "application/json",
  };
  return {
    name: "postmark",
    copies: true,
    async send(mail, { signal } = {}) {
      const { from, to, cc, bcc, replyTo, subject, text, html, headers: more, messageId } = clean(mail);
      const body = {
        From: from,
        To: to.join(", "),
        ...(cc.length > 0 && { Cc: cc.join(", ") }),
        ...(bcc.length > 0 && { Bcc: bcc.join(", ") }),
        ...(replyTo && { ReplyTo: replyTo }),
        Subject: subject,
        TextBody: text,
        HtmlBody: html,
        MessageStream: stream,
        Headers: [
          ...more.map(({ name, value }) => ({ Name: name, Value: value })),
          // Our id instead of Postmark's, so that a mail client recognizes a repeat.
          { Name: "Message-ID", Value: `<${messageId}>` },
          { Name: "X-PM-KeepID", Value: "true" },
        ],
      };
      const { MessageID } = await call(
        `${url}/email`,
        { method: "POST", headers, body: JSON.stringify(body) },
        {
          signal,
          refused: ({ ErrorCode }) => (ErrorCode === INACTIVE_RECIPIENT ? "ERROR_EMAIL_INVALID_RECIPIENT" : undefined),
        },
      );
      return { id: MessageID };
    },
    async verify() {
      await call(`${url}/server`, { headers });
    },
    async close() {},
  };
}
