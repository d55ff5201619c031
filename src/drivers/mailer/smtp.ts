import { isIPv4 } from "node:net";
import { canParseUrl } from "../../lib/can-parse-url.ts";
import { guardedSocket } from "./_guarded-socket.ts";
import { safeMail } from "./_safe.ts";
import { toMailError } from "./_smtp-error.ts";
import { connect, type SmtpOptions, type SmtpTransport, toMessage } from "./_smtp-transport.ts";
import { teamServers } from "./_team-servers.ts";
import { MailError, type MailerDriver, type MailServer } from "./types.ts";

export type { SmtpMessage, SmtpOptions, SmtpTransport } from "./_smtp-transport.ts";

export interface SmtpMailerOptions {
  /** Milliseconds that one send may take, including the wait for a connection. Default 60,000. */
  timeoutMs?: number;
  /** Options for the teams' own email servers, such as `tls` or `proxy`. */
  teamServers?: SmtpOptions;
}

/**
 * Sends over SMTP with nodemailer 10.5.0 or newer, which is loaded at the first send. A transport that is handed in is never closed.
 *
 * @example smtpMailer("smtps://user:password@mail.example.com")
 * @example smtpMailer({ host: "mail.example.com", requireTLS: true, auth: { user, pass } })
 * @example smtpMailer(nodemailer.createTransport(options))
 */
export function smtpMailer(
  target: SmtpTransport | SmtpOptions | string,
  options: SmtpMailerOptions = {},
): MailerDriver {
  const timeoutMs = options.timeoutMs ?? 60_000;
  if (typeof target === "string" ? !/^smtps?:/i.test(target) : !target) {
    throw new Error(
      "[form-backend] smtpMailer takes a nodemailer transport, its options, or a URL that begins with smtp: or smtps:.",
    );
  }
  if (typeof target === "string" && isCut(target)) {
    throw new TypeError(
      "[form-backend] smtpMailer: the URL names another host than it seems to, because its user or password has one of @ # / ?: " +
        "percent-encode them, for example with encodeURIComponent(password).",
    );
  }
  // nodemailer would take localhost for it, and say so at the first mail.
  if (typeof target === "object" && !isTransport(target) && !reaches(target)) {
    throw new TypeError(
      '[form-backend] smtpMailer: the options name no server; set `host`, `service` or `url`, such as { host: "mail.example.com" }.',
    );
  }
  const teams = teamServers((server) => connect(teamOptions(server, options.teamServers)));
  let own: Promise<SmtpTransport> | undefined;
  let closed = false;

  const main = async (): Promise<SmtpTransport> => {
    if (isTransport(target)) return target;
    own ??= connect(typeof target === "string" ? { url: target } : target).catch((error: unknown) => {
      own = undefined;
      throw error;
    });
    return own;
  };
  const refuseWhenClosed = (): void => {
    if (closed)
      throw new MailError("ERROR_EMAIL_INTERNAL", "[form-backend] smtpMailer is closed.", { temporary: true });
  };

  return {
    name: "smtp",
    copies: true,
    async send(mail, { server, signal } = {}) {
      refuseWhenClosed();
      const safe = safeMail(mail);
      return withDeadline(timeoutMs, signal, async (deadline) => {
        const handOver = (transport: SmtpTransport) => transport.sendMail(toMessage(safe, deadline));
        const { messageId, rejected = [] } = await (server ? teams.use(server, handOver) : handOver(await main()));
        const refused = rejected.map((one) => (typeof one === "string" ? one : one.address));
        return { id: messageId?.replace(/[<>]/g, "") ?? null, ...(refused.length > 0 && { refused }) };
      });
    },
    async verify(server) {
      refuseWhenClosed();
      // nodemailer leaves it to the server to end a connection that was tried, and a tenant's server may never do so.
      const over = new AbortController();
      await withDeadline(timeoutMs, undefined, async () => {
        if (!server) return (await main()).verify();
        const transport = await connect({ ...teamOptions(server, options.teamServers, over.signal), pool: false });
        return transport.verify().finally(() => transport.close());
      }).finally(() => over.abort());
    },
    async close() {
      closed = true;
      await teams.close();
      await own?.then(
        (transport) => transport.close(),
        () => {},
      );
    },
  };
}

/** True for a URL whose host ends early, so that an @ is left behind it: `smtp://me:pa#ss@mail.example.com` names the host `me`. */
function isCut(url: string): boolean {
  const [, host = "", rest = ""] = /^smtps?:\/\/([^/?#]*)([\s\S]*)$/i.exec(url) ?? [];
  if (!canParseUrl(url) || rest.includes("#") || rest.split("?", 1)[0]?.includes("@")) return true;
  return rest.includes("@") && !host.includes("@");
}

const reaches = ({ host, service, url, getSocket, ...others }: SmtpOptions): boolean =>
  [host, service, url].some((value) => typeof value === "string" && value !== "") ||
  !!getSocket ||
  Object.hasOwn(others, "socket");

const isTransport = (target: SmtpTransport | SmtpOptions | string): target is SmtpTransport =>
  typeof target === "object" && "sendMail" in target;

function teamOptions(server: MailServer, options: SmtpOptions | undefined, over?: AbortSignal): SmtpOptions {
  const { host, port, secure, username, password, policy } = server;
  return {
    // A team's password never crosses a network in the clear, even when somebody on the way strips STARTTLS from the greeting.
    requireTLS: username !== "" && !isLoopback(host),
    ...options,
    host,
    port,
    secure,
    ...(username ? { auth: { user: username, pass: password } } : {}),
    // With a proxy, the proxy decides about allowed connections.
    ...(policy && !options?.proxy ? { getSocket: guardedSocket(policy, over) } : {}),
  };
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));

/**
 * Runs the work, and rejects with `ERROR_EMAIL_TIMEOUT` when the time is up or `outer` aborts, even if the work ignores its
 * signal.
 */
async function withDeadline<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inner = new AbortController();
  let stop: (message: string) => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = (message) => {
      reject(new MailError("ERROR_EMAIL_TIMEOUT", message, { temporary: true }));
      inner.abort();
    };
  });
  const onAbort = (): void => stop("The send was aborted.");
  const timer = setTimeout(() => stop(`The mail server did not take the mail within ${ms} ms.`), ms);
  outer?.addEventListener("abort", onAbort, { once: true });
  try {
    if (outer?.aborted) onAbort();
    return await Promise.race([stopped, inner.signal.aborted ? stopped : work(inner.signal)]);
  } catch (error) {
    throw toMailError(error);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", onAbort);
  }
}
