import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import type { MailServer } from "../../../../src/drivers/mailer/types.ts";
import { addressPolicy } from "../../../../src/lib/net-guard.ts";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { type Receiver, tcpReceiver, tlsReceiver } from "../../../_support/receivers.ts";
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

  const policy = addressPolicy({ allowCidrs: ["127.0.0.0/8"] });
  const at = ({ port }: Receiver, parts: Partial<MailServer> = {}): MailServer => ({
    ...{ id: "srv_1", host: "127.0.0.1", port, secure: false, username: "", password: "", policy },
    ...parts,
  });
  const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()));

  test.for([
    ["blank lines", "\r\n", false],
    ["blank lines over TLS", "\r\n", true],
    ["answers", "250 OK\r\n", false],
    ["an answer that goes on", "250-OK\r\n", true],
  ] as const)("one that floods with %s is cut off", async ([, line, secure], { expect }) => {
    let sent = 0;
    const ends: Promise<void>[] = [];
    const flood = (socket: Socket): void => {
      ends.push(closed(socket));
      const piece = Buffer.from(line.repeat(8_192));
      const more = (): void => {
        while (!socket.destroyed && socket.write(piece)) sent += piece.length;
      };
      socket.write("220 hi\r\n");
      socket.once("data", more).on("drain", more);
    };
    const receiver = await (secure ? tlsReceiver({ cert: CERTIFICATE, key: KEY }, flood) : tcpReceiver(flood));
    atEndOfFile(() => receiver.close());
    const mailer = mailerFor(await serve(), {}, { teamServers: { tls: { ca: CERTIFICATE } } });
    const server = at(receiver, secure ? { host: "localhost", secure } : {});
    // What came in time may be what was asked for.
    await Promise.allSettled([mailer.verify(server), mailer.send(MAIL, { server })]);
    await Promise.all(ends);
    expect(ends.length).toBeGreaterThan(1);
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  test("verify ends a connection in time on which the server always says a little more", async () => {
    let ended: Promise<void> | undefined;
    const receiver = await tcpReceiver((socket) => {
      ended = closed(socket);
      socket.write("220 hi\r\n");
      const timer = setInterval(() => socket.write("\r\n"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    atEndOfFile(() => receiver.close());
    const mailer = mailerFor(await serve(), {}, { timeoutMs: 500 });
    expect(await failure(mailer.verify(at(receiver)))).toMatchObject({ code: "ERROR_EMAIL_TIMEOUT" });
    await ended;
  });
});
