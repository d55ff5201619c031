import { beginningOf } from "../../lib/beginning.ts";
import { canParseUrl } from "../../lib/can-parse-url.ts";
import { deadline } from "../../lib/deadline.ts";
import { asciiDomain, safeMail } from "./_safe.ts";
import { type Mail, type MailAddress, type MailAttachment, MailError, type MailErrorCode } from "./types.ts";

const TIMEOUT_MS = 60_000;
/** A service answers with a few hundred bytes; more is not read. */
const MAX_ANSWER = 64 * 1024;
/** Characters of a service's answer that a log keeps. */
const MAX_SAID = 300;

/** The answer of a service: its JSON, or an object with the text as `message`. */
export type Answer = Readonly<Record<string, unknown>>;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Sends the request; the default is `fetch`. */
  readonly send?: ((request: Request) => Promise<Response>) | undefined;
  /** Names the code of an answer that says no, where the status alone does not tell. */
  readonly sort?: ((answer: Answer, headers: Headers) => Sorted | undefined) | undefined;
}

/** The kind of a refusal, and true if a later try may succeed. */
export interface Sorted {
  readonly code: MailErrorCode;
  readonly temporary: boolean;
}

/**
 * Calls a mail service and returns its answer. Throws `MailError`: a wrong key and a busy or broken service are temporary, since
 * the mail can go once that is mended; any other refusal is final.
 */
export async function call(url: string, init: RequestInit, options: CallOptions = {}): Promise<Answer> {
  const { signal, send = fetch, sort } = options;
  const limit = deadline(TIMEOUT_MS, signal);
  let status: number;
  let headers: Headers;
  let text: string;
  try {
    limit.signal.throwIfAborted();
    const response = await send(new Request(url, { redirect: "error", ...init, signal: limit.signal }));
    ({ status, headers } = response);
    text = await beginningOf(response, MAX_ANSWER);
  } catch (cause) {
    throw new MailError(limit.signal.aborted ? "ERROR_EMAIL_TIMEOUT" : "ERROR_EMAIL_CONNECTION", messageOf(cause), {
      temporary: true,
      nodeErrorCode: nodeCodeOf(cause),
      cause,
    });
  } finally {
    limit.over();
  }
  const answer = parsed(text);
  if (status >= 200 && status < 300) return answer;
  const { code, temporary } = sort?.(answer, headers) ?? sorted(status);
  throw new MailError(code, `HTTP ${status}: ${said(answer)}`, { temporary, status });
}

function sorted(status: number): Sorted {
  if (status === 401 || status === 403) return { code: "ERROR_EMAIL_AUTH", temporary: true };
  const temporary = status === 429 || status === 409 || status === 408 || status >= 500;
  return { code: temporary ? "ERROR_EMAIL_SMTP_4XX" : "ERROR_EMAIL_SMTP_5XX", temporary };
}

function parsed(text: string): Answer {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Answer;
  } catch {
    // Mailgun refuses a key in plain text.
  }
  return { message: text };
}

/** The error message of a response. Some services name the member `Message`. */
export const sentenceOf = (answer: Answer): unknown => answer["message"] ?? answer["Message"];

function said(answer: Answer): string {
  const sentence = sentenceOf(answer);
  return (typeof sentence === "string" ? sentence : JSON.stringify(answer)).slice(0, MAX_SAID);
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

function nodeCodeOf(error: unknown): string | undefined {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return typeof code === "string" ? code : cause === undefined ? undefined : nodeCodeOf(cause);
}

/** A mail as the services take it: safe in headers, and each address as `"Name" <address>`. */
export interface HttpMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly replyTo: string | undefined;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  readonly idempotencyKey: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly attachments: readonly HttpAttachment[];
}

/** A file of a mail, with its bytes as base64 too, as JSON has them. */
export interface HttpAttachment extends MailAttachment {
  readonly base64: string;
}

/** Throws `MailError` for a recipient that is not exactly one address. */
export function httpMail(mail: Mail): HttpMail {
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
    messageId,
    idempotencyKey = messageId,
    headers,
    attachments = [],
  } = safeMail(mail);
  return {
    from: mailbox(from),
    to: [to, ...alsoTo].map(mailbox),
    cc: cc.map(mailbox),
    bcc: bcc.map(mailbox),
    replyTo: replyTo && mailbox(replyTo),
    subject,
    text,
    html,
    messageId,
    idempotencyKey,
    headers: Object.entries(headers ?? {}).map(([name, value]) => ({ name, value })),
    attachments: attachments.map((one) => ({ ...one, base64: Buffer.from(one.content).toString("base64") })),
  };
}

/** The name without characters that end a quoted string or begin an address: services parse this text. */
function mailbox({ name, address }: MailAddress): string {
  const shown = name
    .replace(/["\\<>]/g, "")
    .slice(0, 200)
    .trim();
  const plain = asciiDomain(address);
  return shown === "" ? plain : `"${shown}" <${plain}>`;
}

/**
 * A text among a driver's options; the environment variable that it comes from may be unset. Throws a TypeError that names the
 * option.
 */
export function textOf<K extends string>(
  driver: string,
  options: { readonly [name in K]: string | undefined },
  name: K,
): string {
  // JavaScript may pass no options at all.
  const value = (options as Partial<Record<K, unknown>> | undefined)?.[name];
  if (typeof value === "string" && value !== "") return value;
  throw new TypeError(`[form-backend] ${driver}: \`${name}\` is missing; pass a non-empty string`);
}

/** The address of an API without a slash at its end. Throws a TypeError if it is no URL. */
export function apiUrlOf(driver: string, apiUrl: string): string {
  if (canParseUrl(apiUrl) && /^https?:/.test(apiUrl)) return apiUrl.replace(/\/+$/, "");
  throw new TypeError(`[form-backend] ${driver}: \`apiUrl\` must be an http(s) URL`);
}
