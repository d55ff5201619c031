import type { AddressPolicy } from "../../lib/net-guard.ts";

export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** A file that goes with a mail. */
export interface MailAttachment {
  /** The file's name, without line breaks. */
  readonly name: string;
  /** Its type, such as application/pdf. */
  readonly mimeType: string;
  /** Its bytes. */
  readonly content: Uint8Array;
}

/** One message. Every header value is free of line breaks before it reaches a driver. */
export interface Mail {
  /** The sender. */
  readonly from: MailAddress;
  /** The recipient, the first one in To. */
  readonly to: MailAddress;
  /** The others in To. Only drivers with `copies` are given this, `cc` and `bcc`. */
  readonly alsoTo?: readonly MailAddress[] | undefined;
  /** Recipients that everybody sees in Cc. */
  readonly cc?: readonly MailAddress[] | undefined;
  /** Recipients that no header names. */
  readonly bcc?: readonly MailAddress[] | undefined;
  /** The reply address. */
  readonly replyTo?: MailAddress | undefined;
  /** The subject, one line. */
  readonly subject: string;
  /** The plain text. */
  readonly text: string;
  /** The same as HTML. */
  readonly html: string;
  /** Files that go with it. Default none. */
  readonly attachments?: readonly MailAttachment[] | undefined;
  /** Stable over retries, without angle brackets, so that receivers can drop repeats. */
  readonly messageId: string;
  /** Stable over retries, and another one once somebody has the mail sent again. Default `messageId`. */
  readonly idempotencyKey?: string | undefined;
  /** Further headers, by name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Epoch ms of the attempt, for the Date header. */
  readonly date: number;
}

/** The server for one message if its form uses an email server of the team instead of the mailer's own. */
export interface MailServer {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly username: string;
  readonly password: string;
  /** The addresses that the host may have. A tenant chooses its settings, so a driver that connects must respect this. */
  readonly policy?: AddressPolicy | undefined;
}

/** The families of a failed send; `code` in the delivery log. */
export type MailErrorCode =
  | "ERROR_EMAIL_SMTP_4XX"
  | "ERROR_EMAIL_SMTP_5XX"
  | "ERROR_EMAIL_AUTH"
  | "ERROR_EMAIL_CONNECTION"
  | "ERROR_EMAIL_TIMEOUT"
  | "ERROR_EMAIL_TLS"
  | "ERROR_EMAIL_INVALID_RECIPIENT"
  | "ERROR_EMAIL_INTERNAL";

/** The error of a mailer. `temporary` decides whether the job is tried again. */
export class MailError extends Error {
  override readonly name = "MailError";
  readonly code: MailErrorCode;
  readonly temporary: boolean;
  /** The SMTP reply code, if the server replied. */
  readonly status: number | undefined;
  /** The network error, when it did not (`ECONNREFUSED`). */
  readonly nodeErrorCode: string | undefined;
  constructor(
    code: MailErrorCode,
    message: string,
    options: { temporary: boolean; status?: number | undefined; nodeErrorCode?: string | undefined; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.temporary = options.temporary;
    this.status = options.status;
    this.nodeErrorCode = options.nodeErrorCode;
  }
}

/** Sends mail. Every verb is required; every driver passes `mailerSuite` of `form-backend/testing`. */
export interface MailerDriver {
  /** The driver's name, for messages. */
  readonly name: string;
  /** True if it sends one message to `alsoTo`, `cc` and `bcc` too. Without it, each of them gets an email of its own. */
  readonly copies?: boolean;
  /**
   * Sends one message; resolves when the next hop has accepted it. Throws `MailError`. `server` names another SMTP server for
   * this message; a driver without SMTP treats it like its own. Fails with `ERROR_EMAIL_TIMEOUT` after 60 s, and immediately
   * when `signal` aborts.
   */
  send(
    mail: Mail,
    options?: {
      /** Another server than the driver's own. */
      server?: MailServer | undefined;
      /** Aborts the hand-over. */
      signal?: AbortSignal | undefined;
    },
  ): Promise<{
    /** The message's id at the next hop; null where it says none. */
    id: string | null;
    /** The addresses that the next hop refused while it took the message for others. */
    refused?: readonly string[] | undefined;
  }>;
  /** Connects and logs in without sending, to tell whether a server's settings work. Throws `MailError`. */
  verify(server?: MailServer): Promise<void>;
  /** Closes everything that the driver opened itself. May be called twice. */
  close(): Promise<void>;
}
