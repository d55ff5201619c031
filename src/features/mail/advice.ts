import type { MailErrorCode } from "../../drivers/mailer/types.ts";
import { DEFAULT_SERVER } from "../../model/jobs.ts";

const advice: Partial<Record<MailErrorCode, (server: string) => string>> = {
  ERROR_EMAIL_AUTH: (server) => `check the user name and password of ${server}`,
  ERROR_EMAIL_CONNECTION: (server) => `check host and port of ${server}, and that this machine can connect to them`,
  ERROR_EMAIL_TIMEOUT: (server) => `check host and port of ${server}, and that no firewall blocks the connection`,
  ERROR_EMAIL_TLS: (server) =>
    `check \`secure\` of ${server} (true for port 465, false for 587 and 25), and that its certificate is valid`,
  ERROR_EMAIL_SMTP_5XX: (server) =>
    server.startsWith("the option")
      ? "if the sender is refused, set the option `from` to an address that the server is allowed to send from"
      : `if the sender is refused, set \`from\` of ${server} to an address that it is allowed to send from`,
};

/** Advice about a failed mail, for the log: a clause, or null if the code suggests none. `server` is a job's `target`. */
export const adviceFor = (code: string, server: string = DEFAULT_SERVER): string | null =>
  advice[code as MailErrorCode]?.(server === DEFAULT_SERVER ? "the option `mailer`" : `the email server ${server}`) ??
  null;
