import { type Answer, apiUrlOf, call, httpMail, type Sorted, textOf } from "./_http.ts";
import type { MailErrorCode, MailerDriver } from "./types.ts";

/** Options of `postmarkMailer`. */
export interface PostmarkMailerOptions {
  /** The API token of a server. */
  readonly serverToken: string | undefined;
  /** The message stream. Default `outbound`. */
  readonly messageStream?: string | undefined;
  /** The API's address. Default `https://api.postmarkapp.com`. */
  readonly apiUrl?: string | undefined;
}

/** Codes of its answers: https://postmarkapp.com/developer/api/overview#error-codes */
const FINAL: ReadonlyMap<unknown, MailErrorCode> = new Map([
  // An invalid request.
  [300, "ERROR_EMAIL_SMTP_5XX"],
  // A recipient that Postmark has made inactive.
  [406, "ERROR_EMAIL_INVALID_RECIPIENT"],
]);
/**
 * Error codes that the account's owner can resolve: the sender is unknown (400) or not confirmed (401), or the account is pending or
 * may not send (405, 412, 413).
 */
const ACCOUNT: ReadonlySet<unknown> = new Set([400, 401, 405, 412, 413]);

/**
 * Sends over the HTTP API of Postmark, for hosts that block SMTP. A repeat has the same Message-ID, so mail programs show it once.
 * A recipient that bounced or complained before is `ERROR_EMAIL_INVALID_RECIPIENT`. Throws a TypeError for a missing option.
 *
 * @example const mailer = postmarkMailer({ serverToken: process.env.POSTMARK_TOKEN });
 */
export function postmarkMailer(options: PostmarkMailerOptions): MailerDriver {
  const token = textOf("postmarkMailer", options, "serverToken");
  const api = apiUrlOf("postmarkMailer", options.apiUrl ?? "https://api.postmarkapp.com");
  const headers = {
    "x-postmark-server-token": token,
    accept: "application/json",
    "content-type": "application/json",
  };
  return {
    name: "postmark",
    copies: true,
    async send(mail, { signal } = {}) {
      const { from, to, cc, bcc, replyTo, subject, text, html, headers: more, attachments, messageId } = httpMail(mail);
      const body = JSON.stringify({
        From: from,
        To: to.join(", "),
        ...(cc.length > 0 && { Cc: cc.join(", ") }),
        ...(bcc.length > 0 && { Bcc: bcc.join(", ") }),
        ...(replyTo && { ReplyTo: replyTo }),
        Subject: subject,
        TextBody: text,
        HtmlBody: html,
        MessageStream: options.messageStream ?? "outbound",
        ...(attachments.length > 0 && {
          Attachments: attachments.map(({ name, mimeType, base64 }) => ({
            Name: name,
            ContentType: mimeType,
            Content: base64,
          })),
        }),
        Headers: [
          ...more.map(({ name, value }) => ({ Name: name, Value: value })),
          // Our id instead of Postmark's, so that a mail program recognizes a repeat.
          { Name: "Message-ID", Value: `<${messageId}>` },
          { Name: "X-PM-KeepID", Value: "true" },
        ],
      });
      const { MessageID } = await call(
        `${api}/email`,
        { method: "POST", headers, body },
        {
          signal,
          sort,
        },
      );
      return { id: typeof MessageID === "string" ? MessageID : null };
    },
    async verify() {
      await call(`${api}/server`, { headers });
    },
    async close() {},
  };
}

function sort({ ErrorCode }: Answer): Sorted | undefined {
  if (ACCOUNT.has(ErrorCode)) return { code: "ERROR_EMAIL_AUTH", temporary: true };
  const code = FINAL.get(ErrorCode);
  return code && { code, temporary: false };
}
