import type { GetSocket } from "./_guarded-socket.ts";
import { recipientsOf } from "./_safe.ts";
import { type Mail, type MailAddress, MailError } from "./types.ts";

/** One message as a transport gets it: the fields of nodemailer's `sendMail` that we set. */
export interface SmtpMessage {
  envelope: { from: string; to: string[] };
  from: MailAddress;
  to: MailAddress | MailAddress[];
  cc?: MailAddress[];
  replyTo?: MailAddress;
  subject: string;
  text: string;
  html: string;
  attachments?: { filename: string; contentType: string; content: Buffer }[];
  messageId: string;
  date: Date;
  headers: Record<string, string>;
  disableFileAccess: true;
  disableUrlAccess: true;
  signal: AbortSignal;
}

/** The part of a nodemailer transport we use; any object with this shape will do. */
export interface SmtpTransport {
  sendMail(mail: SmtpMessage): Promise<{
    messageId?: string | undefined;
    /** Recipients that the server refused while it took the message for others. */
    rejected?: readonly (string | { readonly address: string })[] | undefined;
  }>;
  verify(): Promise<unknown>;
  close(): void;
}

/** Options of a nodemailer SMTP transport; those not named here are passed on as they are. Times in ms. */
export interface SmtpOptions {
  url?: string | undefined;
  service?: string | undefined;
  host?: string | undefined;
  /** Default 587, or 465 with `secure`. */
  port?: number | undefined;
  /** TLS from the first byte. Without it the connection is upgraded when the server offers STARTTLS. */
  secure?: boolean | undefined;
  /** Never send without TLS: a server that does not offer STARTTLS is an `ERROR_EMAIL_TLS`. Default false. */
  requireTLS?: boolean | undefined;
  ignoreTLS?: boolean | undefined;
  auth?: object | undefined;
  tls?: object | undefined;
  dkim?: object | undefined;
  name?: string | undefined;
  proxy?: string | undefined;
  localAddress?: string | undefined;
  /** Opens the connection in nodemailer's place. */
  getSocket?: GetSocket | undefined;
  /** Keeps connections open for the next email. Default true. */
  pool?: boolean | undefined;
  /** Default 5. */
  maxConnections?: number | undefined;
  /** Emails over one connection. Default 100. */
  maxMessages?: number | undefined;
  /** Default 10,000. */
  dnsTimeout?: number | undefined;
  /** Default 10,000. */
  connectionTimeout?: number | undefined;
  /** Default 10,000. */
  greetingTimeout?: number | undefined;
  /** Silence of the server after which a send fails. Default 30,000. */
  socketTimeout?: number | undefined;
}

// maxRequeues: a pooled connection that the server dropped while idle costs a second try over a fresh one, and no more;
// real retries are the job's.
const DEFAULTS = {
  pool: true,
  maxRequeues: 2,
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
};

async function nodemailer() {
  // Not `.catch()`: in a `try`, bundlers such as Turbopack take the package for optional.
  try {
    return await import("nodemailer");
  } catch (cause) {
    const message =
      "[form-backend] smtpMailer: nodemailer is not installed. Run `npm install nodemailer`, or pass a transport.";
    throw new MailError("ERROR_EMAIL_INTERNAL", message, { temporary: true, cause });
  }
}

/** Makes a transport of our own, which is ours to close. */
export async function connect(options: SmtpOptions): Promise<SmtpTransport> {
  const { createTransport } = await nodemailer();
  // An option that is there but undefined must not put nodemailer's own default (ten minutes of silence) over ours.
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const transport = createTransport({ ...DEFAULTS, ...given });
  // An 'error' event without a listener would end the process; the affected send reports the error anyway.
  transport.on("error", () => {});
  return transport;
}

export function toMessage(mail: Mail, signal: AbortSignal): SmtpMessage {
  return {
    // Never derived from the headers, so that nothing in them can add a recipient.
    envelope: { from: mail.from.address, to: recipientsOf(mail) },
    from: { ...mail.from },
    to: mail.alsoTo?.length ? [mail.to, ...mail.alsoTo].map((one) => ({ ...one })) : { ...mail.to },
    // `bcc` is in the envelope alone.
    ...(mail.cc?.length ? { cc: mail.cc.map((one) => ({ ...one })) } : {}),
    ...(mail.replyTo ? { replyTo: { ...mail.replyTo } } : {}),
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    ...(mail.attachments?.length
      ? {
          attachments: mail.attachments.map(({ name, mimeType, content }) => ({
            filename: name,
            contentType: mimeType,
            content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
          })),
        }
      : {}),
    messageId: `<${mail.messageId}>`,
    date: new Date(mail.date),
    headers: { ...mail.headers },
    disableFileAccess: true,
    disableUrlAccess: true,
    signal,
  };
}
