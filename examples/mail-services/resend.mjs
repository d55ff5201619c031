// @ts-check
// https://resend.com/docs/api-reference/emails/send-email
import { call, clean } from "./http.mjs";

/**
 * @param {{ key: string | undefined, url?: string }} options the API key; one that may only send is enough
 * @returns {import("form-backend").MailerDriver}
 */
export function resendMailer({ key, url = "https://api.resend.com" }) {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  return {
    name: "resend",
    copies: true,
    async send(mail, { signal } = {}) {
      const { from, to, cc, bcc, replyTo, subject, text, html, headers: more, messageId } = clean(mail);
      const body = {
        from,
        to,
        ...(cc.length > 0 && { cc }),
        ...(bcc.length > 0 && { bcc }),
        ...(replyTo && { reply_to: [replyTo] }),
        subject,
        text,
        html,
        headers: Object.fromEntries(more.map(({ name, value }) => [name, value])),
      };
      // Resend drops a repeat within 24 hours by this key, which stays the same over retries.
      const init = {
        method: "POST",
        headers: { ...headers, "Idempotency-Key": messageId },
        body: JSON.stringify(body),
      };
      const { id } = await call(`${url}/emails`, init, { signal });
      return { id };
    },
    async verify() {
      // A key that may only send is refused here by a name of its own, which shows that it is genuine.
      await call(`${url}/domains`, { headers }).catch((error) => {
        if (!String(error.message).includes("restricted_api_key")) throw error;
      });
    },
    async close() {},
  };
}
