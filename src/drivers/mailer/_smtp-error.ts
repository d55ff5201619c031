import { safeMessage } from "../../lib/message.ts";
import { MailError } from "./types.ts";

/** The members of nodemailer's errors; other transports may set any of them. */
interface SmtpFault {
  readonly message?: unknown;
  readonly code?: unknown;
  /** The code of the system error that nodemailer's own code replaced. */
  readonly originalCode?: unknown;
  readonly responseCode?: unknown;
}

const AUTH_CODES = new Set(["EAUTH", "ENOAUTH", "EOAUTH2"]);
const AUTH_REPLIES = new Set([454, 530, 534, 535, 538]);
const TLS_ERROR =
  /^(ETLS|EREQUIRETLS|EPROTO|ERR_TLS_.*|ERR_SSL_.*|CERT_.*|SELF_SIGNED_.*|DEPTH_ZERO_.*|UNABLE_TO_.*|HOSTNAME_MISMATCH)$/;
const TIMEOUTS = new Set(["ETIMEDOUT", "EABORT", "ABORT_ERR"]);
const CONNECTION_ERROR =
  /^(ECONNECTION|ESOCKET|EDNS|EPROXY|EPROTOCOL|ECONN.*|EPIPE|EHOST.*|ENET.*|EADDR.*|ENOTFOUND|ENODATA|EAI_.*|ESERVFAIL|ETIMEOUT|EREFUSED)$/;

/** Sorts any error of a transport into the families of the delivery log. */
export function toMailError(error: unknown): MailError {
  if (error instanceof MailError) return error;
  const fault = (typeof error === "object" && error !== null ? error : {}) as SmtpFault;
  const code = typeof fault.code === "string" ? fault.code : "";
  const nodeErrorCode = typeof fault.originalCode === "string" ? fault.originalCode : code || undefined;
  const status = typeof fault.responseCode === "number" ? fault.responseCode : undefined;
  const [family, temporary] = sort(code, nodeErrorCode ?? "", status);
  return new MailError(family, safeMessage(typeof fault.message === "string" ? fault.message : String(error)), {
    temporary,
    status,
    nodeErrorCode: status === undefined ? nodeErrorCode : undefined,
    cause: error,
  });
}

function sort(code: string, origin: string, status: number | undefined): [MailError["code"], boolean] {
  // First, because 454 after STARTTLS means "TLS not available", not a failed login. Temporary: certificates get renewed.
  if (TLS_ERROR.test(code) || TLS_ERROR.test(origin)) return ["ERROR_EMAIL_TLS", true];
  // 421 ends the session after any command.
  if (status === 421) return ["ERROR_EMAIL_SMTP_4XX", true];
  // Temporary even for 535: wrong credentials are a fault of the settings, not of the mail. The owner can mend them within the
  // three days of retries, and then nothing is lost.
  if (AUTH_CODES.has(code) || (status !== undefined && AUTH_REPLIES.has(status))) return ["ERROR_EMAIL_AUTH", true];
  if (status !== undefined && status >= 500) return ["ERROR_EMAIL_SMTP_5XX", false];
  if (status !== undefined && status >= 400) return ["ERROR_EMAIL_SMTP_4XX", true];
  // Without a reply: the message exceeds the size that the server announced, so the reply would be 552.
  if (code === "EMESSAGE") return ["ERROR_EMAIL_SMTP_5XX", false];
  if (TIMEOUTS.has(code) || TIMEOUTS.has(origin)) return ["ERROR_EMAIL_TIMEOUT", true];
  if (CONNECTION_ERROR.test(code)) return ["ERROR_EMAIL_CONNECTION", true];
  return ["ERROR_EMAIL_INTERNAL", true];
}
