import { safeMail } from "./_safe.ts";
import { type Mail, type MailAddress, MailError, type MailerDriver } from "./types.ts";

/** The part of a logger we use; `console` and most loggers have this shape. */
export interface MailLogger {
  info(message: string): void;
}

// The library has no console of its own, but mail that goes nowhere else has to be visible.
const stdout: MailLogger = { info: (message) => void process.stdout.write(`[form-backend] ${message}\n`) };

/**
 * Prints each mail instead of sending it: headers and text, without the HTML part. Meant for development.
 *
 * @example createFormBackend({ baseUrl, mailer: logMailer() })
 */
export function logMailer(logger: MailLogger = stdout): MailerDriver {
  return {
    name: "log",
    copies: true,
    async send(mail, options) {
      if (options?.signal?.aborted)
        throw new MailError("ERROR_EMAIL_TIMEOUT", "The send was aborted.", { temporary: true });
      logger.info(summary(safeMail(mail)));
      return { id: null };
    },
    async verify() {},
    async close() {},
  };
}

function summary(mail: Mail): string {
  const headers: [string, string][] = [
    ["From", display(mail.from)],
    ["To", [mail.to, ...(mail.alsoTo ?? [])].map(display).join(", ")],
    ...listed("Cc", mail.cc),
    // Nothing is sent: whoever develops wants to see them.
    ...listed("Bcc", mail.bcc),
    ...(mail.replyTo ? [["Reply-To", display(mail.replyTo)] satisfies [string, string]] : []),
    ["Subject", mail.subject],
    ["Message-ID", `<${mail.messageId}>`],
    ...Object.entries(mail.headers ?? {}),
    ...(mail.attachments ?? []).map(({ name, content }): [string, string] => [
      "Attachment",
      `${name} (${content.byteLength} bytes)`,
    ]),
  ];
  // Visitors write the text: no escape sequence of theirs may reach a terminal.
  const text = mail.text.replace(/\r\n?/g, "\n").replace(/[^\P{Cc}\n\t]/gu, "\uFFFD");
  return ["mail, printed and not sent", ...headers.map(([name, value]) => `${name}: ${value}`), "", text].join("\n");
}

const listed = (name: string, addresses: readonly MailAddress[] = []): [string, string][] =>
  addresses.length > 0 ? [[name, addresses.map(display).join(", ")]] : [];

/** Quoted where a name could be read as another address of the list. */
function display({ name, address }: MailAddress): string {
  if (name === "") return address;
  return `${/[",;<>]/.test(name) ? `"${name.replaceAll('"', "'")}"` : name} <${address}>`;
}
