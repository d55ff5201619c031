import { apiUrlOf, call, httpMail, textOf } from "./_http.ts";
import { MailError, type MailerDriver } from "./types.ts";

/** Options of `resendMailer`. */
export interface ResendMailerOptions {
  /** An API key; one that may only send is enough. */
  readonly apiKey: string | undefined;
  /** The API's address. Default `https://api.resend.com`. */
  readonly apiUrl?: string | undefined;
}

/**
 * Sends over the HTTP API of Resend, for hosts that block SMTP. Resend drops a repeat within 24 hours by its `Idempotency-Key`.
 * Throws a TypeError for a missing option.
 *
 * @example const mailer = resendMailer({ apiKey: process.env.RESEND_KEY });
 */
export function resendMailer(options: ResendMailerOptions): MailerDriver {
  const apiKey = textOf("resendMailer", options, "apiKey");
  const api = apiUrlOf("resendMailer", options.apiUrl ?? "https://api.resend.com");
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return {
    name: "resend",
    copies: true,
    async send(mail, { signal } = {}) {
      const {
        from,
        to,
        cc,
        bcc,
        replyTo,
        subject,
        text,
        html,
        headers: more,
        attachments,
        idempotencyKey,
      } = httpMail(mail);
      const body = JSON.stringify({
        from,
        to,
        ...(cc.length > 0 && { cc }),
        ...(bcc.length > 0 && { bcc }),
        ...(replyTo && { reply_to: [replyTo] }),
        subject,
        text,
        html,
        ...(attachments.length > 0 && {
          attachments: attachments.map(({ name, mimeType, base64 }) => ({
            filename: name,
            content_type: mimeType,
            content: base64,
          })),
        }),
        headers: Object.fromEntries(more.map(({ name, value }) => [name, value])),
      });
      const init = { method: "POST", headers: { ...headers, "idempotency-key": idempotencyKey }, body };
      const { id } = await call(`${api}/emails`, init, { signal });
      return { id: typeof id === "string" ? id : null };
    },
    async verify() {
      try {
        await call(`${api}/domains`, { headers });
      } catch (error) {
        // A key that may only send is refused here under a name of its own, which shows that it is genuine.
        if (!(error instanceof MailError) || error.code !== "ERROR_EMAIL_AUTH" || !restricted(error)) throw error;
      }
    },
    async close() {},
  };
}

const restricted = ({ message }: MailError): boolean => message.includes("restricted") && message.includes("send");
