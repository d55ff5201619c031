// @ts-check
// Shared by the three mailers: sends one request for each mail, and turns errors into "try again" or "give up".
import { MailError } from "form-backend";

const TIMEOUT_MS = 60_000;

/**
 * @typedef {import("form-backend").Mail} Mail
 * @typedef {(request: Request) => Promise<Response>} Fetch
 */

/**
 * Sends the request and returns the JSON of the response. Throws a `MailError`; `refused` names the code of a permanent refusal.
 * @param {string} url
 * @param {RequestInit} init
 * @param {{ signal?: AbortSignal | undefined, send?: Fetch, refused?: (body: any, status: number) => import("form-backend").MailErrorCode | undefined }} [options]
 * @returns {Promise<any>}
 */
export async function call(url, init, { signal, send = fetch, refused } = {}) {
  const ends = [AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])];
  const late = () => ends.some(({ aborted }) => aborted);
  let response;
  let body;
  try {
    const cut = AbortSignal.any(ends);
    cut.throwIfAborted();
    response = await send(new Request(url, { ...init, signal: cut }));
    body = await response.json().catch(() => ({}));
  } catch (cause) {
    const code = late() ? "ERROR_EMAIL_TIMEOUT" : "ERROR_EMAIL_CONNECTION";
    throw new MailError(code, String(cause), { temporary: true, cause });
  }
  if (response.ok) return body;
  const { status } = response;
  const message = `HTTP ${status}: ${JSON.stringify(body).slice(0, 500)}`;
  const code = refused?.(body, status);
  if (code) throw new MailError(code, message, { temporary: code === "ERROR_EMAIL_AUTH" });
  // A wrong key can be put right, so the mail waits for that. A busy or broken service takes the mail later.
  if (status === 401 || status === 403) throw new MailError("ERROR_EMAIL_AUTH", message, { temporary: true });
  const temporary = status === 429 || status === 409 || status >= 500;
  throw new MailError(temporary ? "ERROR_EMAIL_SMTP_4XX" : "ERROR_EMAIL_SMTP_5XX", message, { temporary });
}

/**
 * The mail without anything that could end a header or add a recipient: visitors write parts of it.
 * @param {Mail} mail
 */
export function clean(mail) {
  const { replyTo, alsoTo = [], cc = [], bcc = [] } = mail;
  if (![mail.to, ...alsoTo, ...cc, ...bcc].every(({ address }) => isOneAddress(address)))
    throw new MailError("ERROR_EMAIL_INVALID_RECIPIENT", "A recipient is not one address.", { temporary: false });
  return {
    ...mail,
    subject: oneLine(mail.subject),
    from: mailbox(mail.from),
    to: [mail.to, ...alsoTo].map(mailbox),
    cc: cc.map(mailbox),
    bcc: bcc.map(mailbox),
    replyTo: replyTo && isOneAddress(replyTo.address) ? mailbox(replyTo) : undefined,
    headers: Object.entries(mail.headers ?? {})
      .filter(([name]) => /^[\x21-\x39\x3b-\x7e]+$/.test(name))
      .map(([name, value]) => ({ name, value: oneLine(value) })),
  };
}

/** `"Name" <address>` */
const mailbox = (/** @type {Mail["to"]} */ { name, address }) => {
  const shown = oneLine(name)
    .replace(/["\\<>]/g, "")
    .slice(0, 200);
  return shown === "" ? address : `"${shown}" <${address}>`;
};

const oneLine = (/** @type {string} */ value) =>
  value
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .replaceAll("=?", "= ?") // an encoded word may hide a line break
    .trim();

const isOneAddress = (/** @type {string} */ address) => /^[^\s\p{Cc}"(),:;<>@[\\\]]+@[a-z\d.-]+$/iu.test(address);
