import { isIP } from "node:net";
import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { MailError, type MailServer } from "../../drivers/mailer/types.ts";
import { type ApiError, wrongParameter } from "../../errors.ts";
import { addressPolicy } from "../../lib/net-guard.ts";
import type { EmailServerRecord } from "../../model/email-servers.ts";

const LOOPBACK = ["127.0.0.0/8", "::1/128"];

/**
 * The rule for an email server's address. A tenant sets it, and an unrestricted connection test would be a port scanner inside
 * the host's network. So the policy is that of webhooks: public addresses and the option `webhooks.allowCidrs`. A backend that
 * is itself served over plain http is in development, where the mail server is often on the same machine.
 */
const mailPolicy = perBackend(({ options: { baseUrl, webhooks } }) =>
  addressPolicy({ allowCidrs: [...webhooks.allowCidrs, ...(baseUrl.startsWith("http:") ? LOOPBACK : [])] }),
);

/** The server as a mailer takes it. */
export const toMailServer = (core: Core, id: string, record: EmailServerRecord, password: string): MailServer => ({
  id,
  host: record.host,
  port: record.port,
  secure: record.secure,
  username: record.username,
  password,
  policy: mailPolicy(core),
});

/** Connects and logs in without sending. Throws `invalid_parameter` that names the setting at fault. */
export async function testConnection(core: Core, server: MailServer): Promise<void> {
  const host = server.host.replace(/\.$/, "");
  if (isIP(host) && !server.policy?.allows(host)) throw refused("host", "is a private or reserved address");
  try {
    await core.mailer.verify(server);
  } catch (error) {
    if (!(error instanceof MailError) || error.code === "ERROR_EMAIL_INTERNAL") throw error;
    if (error.nodeErrorCode === "EBLOCKED") throw refused("host", "has a private or reserved address", error);
    const [param, fault] = faults[error.code] ?? ["host", "does not accept mail"];
    throw refused(param, `${fault}: ${error.message}`, error);
  }
}

type Setting = "host" | "password" | "secure";

const faults: Partial<Record<MailError["code"], [param: Setting, fault: string]>> = {
  ERROR_EMAIL_AUTH: ["password", "is refused by the server, or the user name is"],
  ERROR_EMAIL_CONNECTION: ["host", "cannot be reached on this port"],
  ERROR_EMAIL_TIMEOUT: ["host", "does not respond on this port"],
  ERROR_EMAIL_TLS: ["secure", "does not fit the server, or its certificate is not valid"],
};

const refused = (param: Setting, fault: string, cause?: unknown): ApiError =>
  wrongParameter(param, fault.replace(/\.$/, ""), cause);
