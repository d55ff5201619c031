import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, test } from "vitest";
import type { MailError, MailServer } from "../../../../src/drivers/mailer/types.ts";
import { addressPolicy } from "../../../../src/lib/net-guard.ts";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { cpuTime } from "../../../_support/cpu.ts";
import { flood } from "../../../_support/receivers.ts";
import { CERTIFICATE, KEY, type TestSmtpServer } from "../../../_support/smtp.ts";
import { failure, MAIL, mailerFor, serve } from "./_smtp-mailer.ts";

describe.concurrent("email servers of teams", () => {
  const teamServer = (server: TestSmtpServer, parts: Partial<MailServer> = {}): MailServer => ({
    id: "srv_1",
    host: server.host,
    port: server.port,
    secure: false,
    username: "team",
    password: "secret",
    ...parts,
  });

  test("a mail with a server goes there, with its login; the others go the usual way", async () => {
    const [usual, teams] = [await serve(), await serve()];
    const mailer = mailerFor(usual);
    await mailer.send(MAIL, { server: teamServer(teams) });
    await mailer.send(MAIL, { server: teamServer(teams) });
    await mailer.send(MAIL);
    expect(teams.messages.map(({ username, connection }) => [username, connection])).toEqual([
      ["team", 1],
      ["team", 1],
    ]);
    expect(usual.messages.map(({ username }) => username)).toEqual([undefined]);
  });

  test("changed settings are used from the next mail on, and what was under way still arrives", async () => {
    const teams = await serve();
    const mailer = mailerFor(await serve());
    await Promise.all([
      mailer.send({ ...MAIL, messageId: "old@example.com" }, { server: teamServer(teams) }),
      mailer.send({ ...MAIL, messageId: "new@example.com" }, { server: teamServer(teams, { password: "changed" }) }),
    ]);
    expect(teams.messages.map(({ messageId }) => messageId).sort()).toEqual(["new@example.com", "old@example.com"]);
    const logins = teams.steps.filter(({ stage }) => stage === "auth").map(({ password }) => password);
    expect(logins.sort()).toEqual(["changed", "secret"]);
  });

  test("the servers used last stay connected, the others and all of them in the end are closed", async ({ expect }) => {
    const teams = await serve();
    const mailer = mailerFor(await serve());
    const open = () => teams.openConnections();
    await Promise.all(
      Array.from({ length: 25 }, (_, n) => mailer.send(MAIL, { server: teamServer(teams, { id: `srv_${n}` }) })),
    );
    expect(teams.messages).toHaveLength(25);
    await expect.poll(open).toBe(20);
    for (const [id, connections] of [
      ["srv_24", 25],
      ["srv_5", 25],
      ["srv_4", 26],
      ["srv_6", 27],
    ] as const) {
      await mailer.send(MAIL, { server: teamServer(teams, { id }) });
      expect(
        teams.steps.filter(({ stage }) => stage === "connect"),
        id,
      ).toHaveLength(connections);
    }
    await mailer.close();
    await expect.poll(open).toBe(0);
  });

  test("a team's password is not sent without TLS, except to this machine", async () => {
    const server = await serve();
    const mailer = mailerFor(server);
    // 127.0.0.1 written so that it does not look like this machine.
    const elsewhere = teamServer(server, { host: "0.0.0.0" });
    expect(await failure(mailer.send(MAIL, { server: elsewhere }))).toMatchObject({ code: "ERROR_EMAIL_TLS" });
    expect(await failure(mailer.verify(elsewhere))).toMatchObject({ code: "ERROR_EMAIL_TLS" });
    expect(server.steps.filter(({ stage }) => stage === "auth")).toEqual([]);
    await mailer.send(MAIL, { server: teamServer(server) });
    await mailer.send(MAIL, { server: { ...elsewhere, username: "", password: "" } });
    await mailerFor(server, {}, { teamServers: { requireTLS: false } }).send(MAIL, { server: elsewhere });
    expect(server.messages).toHaveLength(3);
  });

  test("options for all of them: a private certificate authority", async () => {
    const server = await serve({ tls: "required" });
    const mailer = mailerFor(await serve(), {}, { teamServers: { tls: { ca: server.certificate } } });
    await mailer.verify(teamServer(server, { host: "localhost" }));
    await mailer.send(MAIL, { server: teamServer(server, { host: "localhost" }) });
    expect(server.messages[0]).toMatchObject({ secure: true, username: "team" });
  });

  test("verify tries a server without keeping a connection", async ({ expect }) => {
    const server = await serve({ script: (step) => (step.password === "wrong" ? { reply: 535 } : undefined) });
    const mailer = mailerFor(await serve());
    await mailer.verify(teamServer(server));
    expect(await failure(mailer.verify(teamServer(server, { password: "wrong" })))).toMatchObject({
      code: "ERROR_EMAIL_AUTH",
    });
    await expect.poll(() => server.openConnections()).toBe(0);
  });

  test.for([
    ["drips its greeting", (socket: Socket) => drip(socket)],
    [
      "drips its response to EHLO",
      (socket: Socket) => {
        socket.write("220 hello\r\n");
        socket.once("data", () => drip(socket));
      },
    ],
    [
      "does not hang up after QUIT",
      (socket: Socket) => {
        socket.write("220 hello\r\n");
        socket.on("data", (line) => {
          if (/^QUIT/.test(String(line))) drip(socket);
          else socket.write("250 AUTH PLAIN\r\n");
        });
      },
    ],
  ] as const)("a server that %s keeps no connection once it was tried", async ([, answer], { expect }) => {
    const { open, hostile } = await hostileServer(answer);
    const mailer = mailerFor("smtp://127.0.0.1:1", {}, { timeoutMs: 300 });
    await mailer.verify(hostile).catch((error: MailError) => expect(error.code).toBe("ERROR_EMAIL_TIMEOUT"));
    await expect.poll(() => open.size).toBe(0);
  });

  // Bounds of the guarded socket and of nodemailer, which has them since the oldest version that is allowed.
  test.for([
    ["a line without an end", (socket: Socket): void => void flood(socket, "2"), "ERROR_EMAIL_CONNECTION"],
    ["a reply without an end", (socket: Socket): void => void flood(socket, "220-x\r\n"), "ERROR_EMAIL_CONNECTION"],
    ["a reply that drips", (socket: Socket) => drip(socket), "ERROR_EMAIL_TIMEOUT"],
    [
      "a reply that is slow to read",
      (socket: Socket) => {
        socket.write("220 hello\r\n");
        socket.once("data", () => socket.write(`250-hello\r\n250 AUTH${" ".repeat(60_000)}x\r\n`));
      },
      "ERROR_EMAIL_TIMEOUT",
    ],
  ] as const)("%s ends the send and its connection", async ([, answer, code], { expect }) => {
    const { open, hostile } = await hostileServer(answer);
    const mailer = mailerFor("smtp://127.0.0.1:1", {}, { timeoutMs: 500 });
    const before = cpuTime();
    expect(await failure(mailer.send(MAIL, { server: hostile }))).toMatchObject({ code, temporary: true });
    await expect.poll(() => open.size).toBe(0);
    expect(cpuTime() - before).toBeLessThan(2_000);
  });

  // nodemailer keeps every line that comes, and reads on for as long as lines come.
  test.for([
    ["blank lines", "\r\n", false],
    ["blank lines over TLS", "\r\n", true],
    ["answers", "250 OK\r\n", false],
    ["an answer that goes on, over TLS,", "250-OK\r\n", true],
  ] as const)("one that floods with %s is cut off", async ([, line, secure], { expect }) => {
    const floods: { sent: () => number }[] = [];
    const { open, hostile } = await hostileServer((socket) => {
      socket.write("220 hi\r\n");
      socket.once("data", () => floods.push(flood(socket, line)));
    }, secure);
    const mailer = mailerFor(await serve(), {}, { teamServers: { tls: { ca: CERTIFICATE } } });
    // Both may succeed: the first lines of the flood can be the answers that nodemailer waits for.
    await Promise.allSettled([mailer.verify(hostile), mailer.send(MAIL, { server: hostile })]);
    await expect.poll(() => open.size).toBe(0);
    expect(floods.length).toBeGreaterThan(1);
    expect(Math.max(...floods.map(({ sent }) => sent()))).toBeLessThan(16 * 1024 * 1024);
  });
});

/** A server with an answer of its own to each connection, and the connections that are open. */
async function hostileServer(
  answer: (socket: Socket) => void,
  secure = false,
): Promise<{ open: Set<Socket>; hostile: MailServer }> {
  const open = new Set<Socket>();
  const take = (socket: Socket): void => {
    open.add(socket.on("error", () => {}).on("close", () => open.delete(socket)));
    answer(socket);
  };
  const server = secure ? createTlsServer({ cert: CERTIFICATE, key: KEY }, take) : createServer(take);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const policy = addressPolicy({ allowCidrs: ["127.0.0.0/8"] });
  const host = secure ? "localhost" : "127.0.0.1";
  return { open, hostile: { id: "srv_1", host, port, secure, username: "", password: "", policy } };
}

/** Sends a byte of a line that never ends every 20 ms, as long as the connection is open. */
function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write("2"), 20);
  socket.once("close", () => clearInterval(timer));
}
