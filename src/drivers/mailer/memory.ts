import { safeMail } from "./_safe.ts";
import { type Mail, MailError, type MailerDriver } from "./types.ts";

/** A mailer that keeps its mails. */
export interface MemoryMailer extends MailerDriver {
  /** Every mail taken so far, oldest first, as a receiver would see it. */
  readonly sent: Mail[];
  /** Set it to refuse mail: its return value is thrown instead of keeping the mail. */
  fail: ((mail: Mail) => MailError | undefined) | undefined;
}

/**
 * Keeps mail in memory, for tests.
 *
 * @example
 * const mailer = memoryMailer();
 * mailer.fail = (mail) => mail.to.address === "gone@example.com"
 *   ? new MailError("ERROR_EMAIL_SMTP_5XX", "550 No such user", { temporary: false, status: 550 }) : undefined;
 */
export function memoryMailer(): MemoryMailer {
  const sent: Mail[] = [];
  const mailer: MemoryMailer = {
    name: "memory",
    copies: true,
    sent,
    fail: undefined,
    async send(mail, options) {
      if (options?.signal?.aborted)
        throw new MailError("ERROR_EMAIL_TIMEOUT", "The send was aborted.", { temporary: true });
      const safe = safeMail(mail);
      const error = mailer.fail?.(safe);
      if (error) throw error;
      sent.push(safe);
      return { id: safe.messageId };
    },
    async verify() {},
    async close() {},
  };
  return mailer;
}
