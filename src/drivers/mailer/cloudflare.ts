import { deadline } from "../../lib/deadline.ts";
import { asciiDomain, safeMail } from "./_safe.ts";
import { type MailAddress, type MailAttachment, MailError, type MailErrorCode, type MailerDriver } from "./types.ts";

/** The members used of a binding of Cloudflare's Email Service. */
export interface SendEmailLike {
  /** Sends one message. */
  send(message: {
    from: string | { email: string; name: string };
    to: string[];
    cc?: string[];
    bcc?: string[];
    replyTo?: string | { email: string; name: string };
    subject: string;
    text: string;
    html: string;
    headers?: Record<string, string>;
    attachments?: { content: ArrayBuffer; filename: string; type: string; disposition: "attachment" }[];
  }): Promise<{ readonly messageId?: string } | undefined>;
}

const TIMEOUT_MS = 60_000;
const MAX_SAID = 300;

/** Headers that the service takes besides `X-…`: with any other it refuses the message. */
const TAKEN = new Set([
  "auto-submitted",
  "in-reply-to",
  "list-id",
  "list-unsubscribe",
  "list-unsubscribe-post",
  "precedence",
  "references",
]);

/** Codes of the service that a change of its settings, or time, cures; all others are final. */
const LATER: Readonly<Record<string, MailErrorCode>> = {
  E_SENDER_NOT_VERIFIED: "ERROR_EMAIL_AUTH",
  E_SENDER_DOMAIN_NOT_AVAILABLE: "ERROR_EMAIL_AUTH",
  E_RATE_LIMIT_EXCEEDED: "ERROR_EMAIL_SMTP_4XX",
  E_DAILY_LIMIT_EXCEEDED: "ERROR_EMAIL_SMTP_4XX",
  E_DELIVERY_FAILED: "ERROR_EMAIL_SMTP_4XX",
  E_INTERNAL_SERVER_ERROR: "ERROR_EMAIL_SMTP_4XX",
};

/**
 * Sends over a binding of Cloudflare's Email Service, from Workers. The service sets the Message-ID itself; ours stands in
 * `X-Message-ID`, so that a repeat can be told. Throws a TypeError if the binding is missing.
 *
 * @example cloudflareMailer(env.EMAIL);
 */
export function cloudflareMailer(binding: SendEmailLike): MailerDriver {
  if (typeof binding?.send !== "function") {
    throw new TypeError(
      '[form-backend] cloudflareMailer: pass the binding of the Email Service, such as env.EMAIL; in wrangler.jsonc: "send_email": [{ "name": "EMAIL" }]',
    );
  }
  return {
    name: "cloudflare",
    copies: true,
    async send(mail, { signal } = {}) {
      const {
        from,
        to,
        alsoTo = [],
        cc = [],
        bcc = [],
        replyTo,
        subject,
        text,
        html,
        headers,
        attachments = [],
        messageId,
      } = safeMail(mail);
      if (signal?.aborted) throw late();
      const sent = binding.send({
        from: mailbox(from),
        to: [to, ...alsoTo].map(addressOf),
        ...(cc.length > 0 && { cc: cc.map(addressOf) }),
        ...(bcc.length > 0 && { bcc: bcc.map(addressOf) }),
        ...(replyTo && { replyTo: mailbox(replyTo) }),
        subject,
        text,
        html,
        headers: { ...taken(headers), "X-Message-ID": messageId },
        ...(attachments.length > 0 && { attachments: attachments.map(attached) }),
      });
      const answer = await inTime(sent, signal).catch((error: unknown) => {
        throw error instanceof MailError ? error : refusal(error);
      });
      return { id: answer?.messageId ?? null };
    },
    // The binding has nothing to ask: it is there, or the constructor has said so.
    async verify() {},
    async close() {},
  };
}

const addressOf = ({ address }: MailAddress): string => asciiDomain(address);
const mailbox = ({ name, address }: MailAddress): string | { email: string; name: string } =>
  name === "" ? asciiDomain(address) : { email: asciiDomain(address), name };

/** The bytes are copied: those of a Buffer may be a part of a larger one. */
const attached = ({ name, mimeType, content }: MailAttachment) => ({
  content: new Uint8Array(content).buffer,
  filename: name,
  type: mimeType,
  disposition: "attachment" as const,
});

const taken = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^x-/i.test(name) || TAKEN.has(name.toLowerCase())));

/** The binding takes no signal, so its answer may come after nobody waits for it any more. */
function inTime<T>(sent: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const limit = deadline(TIMEOUT_MS, signal);
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(late());
    limit.signal.addEventListener("abort", stop, { once: true });
    if (limit.signal.aborted) stop();
    void sent.then(resolve, reject).finally(limit.over);
  });
}

function refusal(cause: unknown): MailError {
  const { code, message } = cause as { code?: unknown; message?: unknown };
  const said = `${typeof code === "string" ? `${code}: ` : ""}${String(message ?? cause)}`.slice(0, MAX_SAID);
  // Without a code of the service, the message never reached it.
  if (typeof code !== "string" || !code.startsWith("E_")) {
    return new MailError("ERROR_EMAIL_CONNECTION", said, { temporary: true, cause });
  }
  if (/^E_RECIPIENT_/.test(code))
    return new MailError("ERROR_EMAIL_INVALID_RECIPIENT", said, { temporary: false, cause });
  const later = LATER[code];
  return new MailError(later ?? "ERROR_EMAIL_SMTP_5XX", said, { temporary: later !== undefined, cause });
}

const late = (): MailError =>
  new MailError("ERROR_EMAIL_TIMEOUT", "The Email Service did not answer in time.", { temporary: true });
