// @ts-check
// A mailer for a mail service with an HTTP API: one POST for each mail, as most of them take it.
import { MailError } from "form-backend";

const TIMEOUT_MS = 60_000;

/**
 * @param {{ url: string, token: string }} options
 * @returns {import("form-backend").MailerDriver}
 */
export function httpMailer({ url, token }) {
  /** @param {string} path @param {string} method @param {object | undefined} body @param {AbortSignal | undefined} signal */
  async function call(path, method, body, signal) {
    const ends = [AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])];
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
      signal: AbortSignal.any(ends),
    }).catch((cause) => {
      const late = ends.some(({ aborted }) => aborted);
      throw new MailError(late ? "ERROR_EMAIL_TIMEOUT" : "ERROR_EMAIL_CONNECTION", String(cause), {
        temporary: true,
        cause,
      });
    });
    if (response.ok) return response.json();
    // What decides about a retry: a service that is busy or broken takes the mail later, a refusal stays one.
    const temporary = response.status === 429 || response.status >= 500;
    const denied = response.status === 401 || response.status === 403;
    const code = denied ? "ERROR_EMAIL_AUTH" : temporary ? "ERROR_EMAIL_SMTP_4XX" : "ERROR_EMAIL_SMTP_5XX";
    throw new MailError(code, `HTTP ${response.status}: ${await response.text()}`, { temporary });
  }

  return {
    name: "http",
    async send(mail, { signal } = {}) {
      if (!isOneAddress(mail.to.address)) {
        throw new MailError("ERROR_EMAIL_INVALID_RECIPIENT", "The recipient is not one address.", { temporary: false });
      }
      const { id } = await call("/mails", "POST", wire(mail), signal);
      return { id };
    },
    async verify() {
      await call("/account", "GET", undefined, undefined);
    },
    async close() {},
  };
}

/** What the service is sent. Visitors write parts of a mail, so nothing of theirs may end a header or begin another. */
function wire(
  /** @type {import("form-backend").Mail} */ { from, to, replyTo, subject, text, html, messageId, headers },
) {
  const named = (/** @type {import("form-backend").Mail["to"]} */ { name, address }) => ({
    name: oneLine(name),
    address,
  });
  const safe = Object.entries(headers ?? {}).filter(([name]) => /^[\x21-\x39\x3b-\x7e]+$/.test(name));
  return {
    from: named(from),
    to: named(to),
    reply_to: replyTo && isOneAddress(replyTo.address) ? named(replyTo) : undefined,
    subject: oneLine(subject),
    text,
    html,
    message_id: messageId, // the same over retries, so that the service can drop a repeat
    headers: Object.fromEntries(safe.map(([name, value]) => [name, oneLine(value)])),
  };
}

const oneLine = (/** @type {string} */ value) =>
  value
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .replaceAll("=?", "= ?") // an encoded word may hide a line break
    .trim();

const isOneAddress = (/** @type {string} */ address) => /^[^\s\p{Cc}"(),:;<>@[\\\]]+@[a-z\d.-]+$/iu.test(address);
