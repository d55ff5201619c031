import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import PostalMime, { type Address, type Email } from "postal-mime";
import { SMTPServer, type SMTPServerSession } from "smtp-server";
import type { ReceivedMail } from "../../src/surfaces/testing/mailer.ts";

/** One thing a client asks for. */
export interface SmtpStep {
  readonly stage: "connect" | "auth" | "mail" | "rcpt" | "data";
  /** Counts from 1 in the order in which connections came. */
  readonly connection: number;
  readonly secure: boolean;
  /** The sender at `mail`, the recipient at `rcpt`. */
  readonly address?: string;
  /** At `auth`. */
  readonly username?: string;
  readonly password?: string;
}

/**
 * What the server does instead of accepting: a reply, silence, or a cut connection.
 * `drop-after-250` (at `data`) takes the message, says so and cuts the connection.
 */
export type SmtpFault = { readonly reply: number; readonly text?: string } | "hang" | "drop" | "drop-after-250";

export interface SmtpMessage extends ReceivedMail {
  readonly connection: number;
  readonly secure: boolean;
  readonly username: string | undefined;
  readonly envelopeFrom: string;
  /** The To header. */
  readonly to: Address[];
  readonly date: string | undefined;
  /** Names in lower case, in the order of the message, with repeats. */
  readonly headerNames: readonly string[];
  readonly raw: string;
}

export interface TestSmtpServer {
  readonly host: string;
  readonly port: number;
  /** `smtp://127.0.0.1:…`, or `smtps:` with implicit TLS. */
  readonly url: string;
  /** What a client has to trust (`tls: { ca: server.certificate }`) to talk TLS to this server. */
  readonly certificate: string;
  /** Everything that was taken, in order. */
  readonly messages: readonly SmtpMessage[];
  /** Every step of every client so far. */
  readonly steps: readonly SmtpStep[];
  openConnections(): number;
  /** May be replaced at any time. */
  script: (step: SmtpStep) => SmtpFault | undefined;
  /** Cuts all connections and frees the port; twice is fine. */
  close(): Promise<void>;
}

export interface SmtpServerOptions {
  /** Default `none`: no STARTTLS. `required` refuses mail before STARTTLS. The certificate is self-signed. */
  readonly tls?: "none" | "offered" | "required" | "implicit";
  readonly script?: (step: SmtpStep) => SmtpFault | undefined;
  /** Default: any free one. */
  readonly port?: number;
}

/** A catch-all SMTP server on 127.0.0.1. Any login is right unless the script says otherwise. */
export async function startSmtpServer({
  tls = "none",
  script = () => undefined,
  port = 0,
}: SmtpServerOptions = {}): Promise<TestSmtpServer> {
  const messages: SmtpMessage[] = [];
  const steps: SmtpStep[] = [];
  const connections: string[] = [];

  const numberOf = (session: SMTPServerSession): number => connections.indexOf(session.id) + 1;
  const socketOf = (session: SMTPServerSession) => [...server.connections].find(({ id }) => id === session.id)?._socket;

  type Accept = (error?: Error | null) => void;
  const play = (
    session: SMTPServerSession,
    part: Pick<SmtpStep, "stage"> & Partial<SmtpStep>,
    accept: () => void,
    refuse: Accept,
  ): void => {
    const step: SmtpStep = { connection: numberOf(session), secure: session.secure, ...part };
    steps.push(step);
    const fault =
      result.script(step) ?? (tls === "required" && step.stage === "mail" && !step.secure ? STARTTLS_FIRST : undefined);
    if (fault === undefined) return void accept();
    if (fault === "hang") return;
    if (fault === "drop") return void socketOf(session)?.destroy();
    if (fault === "drop-after-250") {
      const socket = socketOf(session);
      accept();
      return void socket?.end();
    }
    refuse(Object.assign(new Error(fault.text ?? "scripted"), { responseCode: fault.reply }));
  };

  const server = new SMTPServer({
    secure: tls === "implicit",
    hideSTARTTLS: tls === "none",
    disabledCommands: tls === "none" ? ["STARTTLS"] : [],
    key: KEY,
    cert: CERTIFICATE,
    authOptional: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    onConnect(session, callback) {
      connections.push(session.id);
      play(session, { stage: "connect" }, callback, callback);
    },
    onAuth({ username = "", password }, session, callback) {
      play(
        session,
        { stage: "auth", username, password: password ?? "" },
        () => callback(null, { user: username }),
        callback as Accept,
      );
    },
    onMailFrom({ address }, session, callback) {
      play(session, { stage: "mail", address }, callback, callback);
    },
    onRcptTo({ address }, session, callback) {
      play(session, { stage: "rcpt", address }, callback, callback);
    },
    onData(stream, session, callback) {
      // The envelope is reset by the next command of a pooled connection.
      const { mailFrom, rcptTo } = session.envelope;
      const recipients = rcptTo.map(({ address }) => address);
      const keep = (raw: Buffer, email: Email) =>
        messages.push({
          ...toReceived(email, recipients),
          connection: numberOf(session),
          secure: session.secure,
          username: session.user,
          envelopeFrom: mailFrom === false ? "" : mailFrom.address,
          to: email.to ?? [],
          date: email.date,
          headerNames: email.headers.map(({ key }) => key),
          raw: raw.toString("latin1"),
        });
      const receive = async (): Promise<void> => {
        const raw = await buffer(stream);
        const email = await PostalMime.parse(raw);
        const take = (): void => {
          keep(raw, email);
          callback(null);
        };
        play(session, { stage: "data" }, take, callback);
      };
      receive().catch(callback);
    },
  });
  // Clients that cut the connection are part of the tests.
  server.on("error", () => {});
  server.listen(port, "127.0.0.1");
  await once(server.server, "listening");
  const address = server.server.address() as AddressInfo;

  let closing: Promise<void> | undefined;
  const result: TestSmtpServer = {
    host: "127.0.0.1",
    port: address.port,
    url: `${tls === "implicit" ? "smtps" : "smtp"}://127.0.0.1:${address.port}`,
    certificate: CERTIFICATE,
    messages,
    steps,
    openConnections: () => server.connections.size,
    script,
    close() {
      closing ??= new Promise<void>((resolve) => {
        const sockets = [...server.connections].map(({ _socket }) => _socket);
        server.close(resolve);
        for (const socket of sockets) socket.destroy();
      });
      return closing;
    },
  };
  return result;
}

function toReceived(email: Email, recipients: readonly string[]): ReceivedMail {
  const replyTo = email.replyTo?.[0];
  return {
    from: { name: email.from?.name ?? "", address: email.from?.address ?? "" },
    recipients,
    replyTo: replyTo && { name: replyTo.name, address: replyTo.address ?? "" },
    subject: email.subject ?? "",
    text: email.text ?? "",
    html: email.html ?? "",
    messageId: email.messageId?.replace(/[<>]/g, "") ?? "",
    headers: Object.fromEntries(email.headers.map(({ key, value }) => [key, value])),
    attachments: email.attachments.map(({ filename, mimeType, content }) => ({
      name: filename ?? "",
      mimeType,
      content: new Uint8Array(content as ArrayBuffer),
    })),
  };
}

const STARTTLS_FIRST: SmtpFault = { reply: 530, text: "5.7.0 Must issue a STARTTLS command first" };

// Self-signed for localhost and 127.0.0.1, made for these tests and used nowhere else.
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBaDCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJOGKgoaGP2RRBQH
WavsUeB8gqDqb3h838LfYnMTkYnpscZOkpfx1u7Lr9pPuTMVUKm474TYsKwd8xaZ
9cvSQtmjTjBMMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8E
BTADAQH/MB0GA1UdDgQWBBR5wjewU0TUkTWp8dfE+oP5bm5/bTAKBggqhkjOPQQD
AgNJADBGAiEA5KJgPSPu+/GzLYEbssnpqFKTJwfKZ3OGmlRorBVHvpcCIQClIDWV
Q40d3VzL1nq+glIMgmiFMuFIyCLVmm28pHeZzw==
-----END CERTIFICATE-----
`;
export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgL8bbmaEfde6qeqx2
j/ze4RJ5MR6u0aRM8K/tYIei6GihRANCAASThioKGhj9kUQUB1mr7FHgfIKg6m94
fN/C32JzE5GJ6bHGTpKX8dbuy6/aT7kzFVCpuO+E2LCsHfMWmfXL0kLZ
-----END PRIVATE KEY-----
`;
