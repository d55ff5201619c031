import type { AddressPolicy } from "../../lib/net-guard.ts";

export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** One message to one recipient. Every header value is free of line breaks before it reaches a driver. */
export interface Mail {
  readonly from: MailAddress;
  readonly to: MailAddress;
  readonly replyTo?: MailAddress | undefined;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Stable over retries, without angle brackets, so that receivers can drop repeats. */
  readonly messageId: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Epoch ms of the attempt, for the Date header. */
  readonly date: number;
}

/** Where one message goes when its form names an email server of the team instead of the mailer's own. */
export interface MailServer {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly username: string;
  readonly password: string;
  /** The addresses that the host may have. Its settings are a tenant's, so a driver that connects must hold to it. */
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

/** What a mailer throws. `temporary` decides whether the job is tried again. */
export class MailError extends Error {
  override readonly name = "MailError";
  readonly code: MailErrorCode;
  readonly temporary: boolean;
  /** The SMTP reply code, when the server answered. */
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
  readonly name: string;
  /**
   * Hands one message over; resolves when the next hop has taken it. Throws `MailError`.
   * `server` names another SMTP server for this message; a driver without SMTP treats it like its own.
   * Ends with `ERROR_EMAIL_TIMEOUT` by itself after 60 s, and at once when `signal` aborts.
   */
  send(
    mail: Mail,
    options?: { server?: MailServer | undefined; signal?: AbortSignal | undefined },
  ): Promise<{ id: string | null }>;
  /** Connects and logs in without sending, to tell whether a server's settings work. Throws `MailError`. */
  verify(server?: MailServer): Promise<void>;
  /** Closes what the driver opened itself; twice is fine. */
  close(): Promise<void>;
}
