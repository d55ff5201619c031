import { apiUrlOf, call, type HttpAttachment, httpMail, textOf } from "./_http.ts";
import type { MailerDriver } from "./types.ts";

/** Options of `mailgunMailer`. */
export interface MailgunMailerOptions {
  /** The sending domain, such as `mg.example.com`. */
  readonly domain: string;
  /** A sending key of the domain, or an API key of the account. */
  readonly apiKey: string | undefined;
  /** The API's address. Default `https://api.mailgun.net`; domains in the EU need `https://api.eu.mailgun.net`. */
  readonly apiUrl?: string | undefined;
}

/**
 * Sends over the HTTP API of Mailgun, for hosts that block SMTP. A repeat has the same Message-ID, so mail programs show it once.
 * Throws a TypeError for a missing option.
 *
 * @example const mailer = mailgunMailer({ domain: "mg.example.com", apiKey: process.env.MAILGUN_KEY });
 */
export function mailgunMailer(options: MailgunMailerOptions): MailerDriver {
  const domain = textOf("mailgunMailer", options, "domain");
  const apiKey = textOf("mailgunMailer", options, "apiKey");
  const api = apiUrlOf("mailgunMailer", options.apiUrl ?? "https://api.mailgun.net");
  const headers = { authorization: `Basic ${Buffer.from(`api:${apiKey}`).toString("base64")}` };
  return {
    name: "mailgun",
    copies: true,
    async send(mail, { signal } = {}) {
      const { from, to, cc, bcc, replyTo, subject, text, html, headers: more, attachments, messageId } = httpMail(mail);
      const fields: [string, string][] = [
        ["from", from],
        ...to.map((one): [string, string] => ["to", one]),
        ...cc.map((one): [string, string] => ["cc", one]),
        ...bcc.map((one): [string, string] => ["bcc", one]),
        ["subject", subject],
        ["text", text],
        ["html", html],
        ...(replyTo ? [["h:Reply-To", replyTo] as [string, string]] : []),
        ...more.map(({ name, value }): [string, string] => [`h:${name}`, value]),
        ["h:Message-Id", `<${messageId}>`],
        // Links of a form's mail carry tokens and lead to the form's site; rewritten ones would pass through the service.
        ["o:tracking", "no"],
      ];
      const body = attachments.length > 0 ? withFiles(fields, attachments) : new URLSearchParams(fields);
      const url = `${api}/v3/${encodeURIComponent(domain)}/messages`;
      const { id } = await call(url, { method: "POST", headers, body }, { signal });
      return { id: typeof id === "string" ? id.replace(/^<|>$/g, "") : null };
    },
    async verify() {
      await call(`${api}/v3/${encodeURIComponent(domain)}/stats/total?event=accepted&duration=1d`, { headers });
    },
    async close() {},
  };
}

function withFiles(fields: readonly [string, string][], attachments: readonly HttpAttachment[]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  for (const { name, mimeType, content } of attachments) {
    form.append("attachment", new Blob([content as Uint8Array<ArrayBuffer>], { type: mimeType }), name);
  }
  return form;
}
