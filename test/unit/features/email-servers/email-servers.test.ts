import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { smtpMailer } from "../../../../src/drivers/mailer/smtp.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { createTestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { startSmtpServer } from "../../../_support/smtp.ts";
import { backendWith, own, PASSWORD, settings, teams } from "./_servers.ts";

describe("create", () => {
  test("keeps what works, and never shows the password", async () => {
    const storage = memoryStorage();
    const backend = backendWith({ storage });
    const server = await backend.emailServers.create(settings());
    expect(server).toEqual({
      id: expect.stringMatching(/^srv_[0-9a-f]{24}$/),
      team_id: "default",
      name: "Our server",
      host: "127.0.0.1",
      port: teams.port,
      secure: false,
      username: "team",
      password_set: true,
      from: "Our team <team@example.com>",
    });
    expect(await backend.emailServers.get(server.id)).toEqual(server);
    expect(await backend.emailServers.list()).toEqual([server]);
    expect(JSON.stringify([...(await storage.get("email_servers", [server.id])).values()])).not.toContain(PASSWORD);
    expect(teams.steps.filter(({ stage }) => stage === "auth").at(-1)).toMatchObject({
      username: "team",
      password: PASSWORD,
    });
  });

  test("reports what the connection test finds, at the setting it concerns, and keeps nothing", async () => {
    const backend = backendWith();
    const silent = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    onTestFinished(() => void silent.close());
    const { port: silentPort } = silent.address() as { port: number };
    const closed = await startSmtpServer();
    await closed.close();
    const busy = await startSmtpServer({ script: (step) => (step.stage === "connect" ? { reply: 421 } : undefined) });
    onTestFinished(busy.close);
    const cases: [param: string, message: RegExp, more: object][] = [
      ["password", /^`password` is refused by the server.*535.*no such login/, { password: "wrong" }],
      ["host", /^`host` cannot be reached on this port: .*ECONNREFUSED/, { port: closed.port }],
      ["host", /^`host` does not respond on this port/, { port: silentPort }],
      ["host", /^`host` does not accept mail: .*421/, { port: busy.port }],
      ["secure", /^`secure` does not fit the server/, { secure: true }],
    ];
    for (const [param, message, more] of cases) {
      const error = await backend.emailServers.create(settings(more)).catch((caught) => caught);
      expect(error, param).toMatchObject({ status: 400, code: "invalid_parameter", param });
      expect(error.message).toMatch(message);
      expect(error.message).not.toContain(PASSWORD);
    }
    expect(await backend.emailServers.list()).toEqual([]);
  });

  test("refuses wrong settings without a connection", async () => {
    const backend = backendWith();
    const before = teams.steps.length;
    const cases: [param: string, more: object][] = [
      ["host", { host: "" }],
      ["host", { host: "http://mail.example.com" }],
      ["host", { host: "mail.example.com:587" }],
      ["host", { host: "a b" }],
      ["host", { host: "a\r\nb" }],
      ["port", { port: 0 }],
      ["port", { port: 22 }],
      ["port", { port: 80 }],
      ["port", { port: 70_000 }],
      ["port", { port: 25.5 }],
      ["port", { port: "25" }],
      ["name", { name: "" }],
      ["from", { from: "not an address" }],
      ["from", { from: "a@b.example\r\nBcc: c@d.example" }],
      ["from", { from: "a@b.example, c@d.example" }],
      ["username", { username: "team\r\nRSET" }],
      ["username", { username: "" }],
      ["password", { password: "" }],
      ["password", { password: "a\0b" }],
      ["team_id", { team_id: "nobody" }],
      ["tls", { tls: {} }],
    ];
    for (const [param, more] of cases) {
      await expect(backend.emailServers.create(settings(more)), JSON.stringify(more)).rejects.toMatchObject({
        code: "invalid_parameter",
        param,
      });
    }
    expect(teams.steps).toHaveLength(before);
  });

  test("takes a server with TLS from the first byte, or by STARTTLS, whose certificate fits its name", async () => {
    for (const tls of ["implicit", "required"] as const) {
      const server = await startSmtpServer({ tls });
      onTestFinished(server.close);
      const mailer = smtpMailer(own.url, { teamServers: { tls: { ca: server.certificate } } });
      const backend = backendWith({ mailer });
      const secure = tls === "implicit";
      await backend.emailServers.create(settings({ host: "localhost", port: server.port, secure }));
      expect(server.steps.at(-1)).toMatchObject({ stage: "auth", secure: true, password: PASSWORD });
      const strangers = backendWith();
      await expect(
        strangers.emailServers.create(settings({ host: "localhost", port: server.port, secure })),
      ).rejects.toMatchObject({ param: "secure", message: expect.stringContaining("certificate") });
    }
  });

  test("is secure by itself on port 465 only", async () => {
    const backend = createTestBackend();
    onTestFinished(() => backend.close());
    const { secure: submission } = await backend.emailServers.create(settings({ host: "mail.example.com", port: 587 }));
    const { secure: smtps } = await backend.emailServers.create(settings({ host: "mail.example.com", port: 465 }));
    expect([submission, smtps]).toEqual([false, true]);
  });
});

describe("where a server may be", () => {
  test("not on private addresses, by number or by name, unless the host allows them", async () => {
    const backend = backendWith({ baseUrl: "https://app.example.com/forms" });
    const before = teams.steps.length;
    for (const host of [
      "127.0.0.1",
      "10.0.0.1",
      "169.254.169.254",
      "192.168.1.1",
      "::1",
      "::ffff:127.0.0.1",
      "fd00::1",
      "localhost",
      "mail.localhost",
    ]) {
      await expect(backend.emailServers.create(settings({ host })), host).rejects.toMatchObject({
        code: "invalid_parameter",
        param: "host",
        message: expect.stringContaining("a private or reserved address"),
      });
    }
    expect(teams.steps).toHaveLength(before);
    const allowed = backendWith({
      baseUrl: "https://app.example.com/forms",
      webhooks: { allowCidrs: ["127.0.0.0/8"] },
    });
    await expect(allowed.emailServers.create(settings())).resolves.toMatchObject({ host: "127.0.0.1" });
  });

  test("a backend that is served over plain http, as in development, may use its own machine", async () => {
    const backend = backendWith({ baseUrl: "http://localhost:3000/forms" });
    await expect(backend.emailServers.create(settings({ host: "localhost" }))).resolves.toMatchObject({
      host: "localhost",
    });
    await expect(backend.emailServers.create(settings({ host: "10.0.0.1" }))).rejects.toMatchObject({ param: "host" });
  });
});

describe("update", () => {
  test("changes what is sent; a new connection is tested, a new name is not", async () => {
    const backend = backendWith();
    const { id } = await backend.emailServers.create(settings());
    const connections = () => teams.steps.filter(({ stage }) => stage === "connect").length;
    const before = connections();
    expect(await backend.emailServers.update(id, { name: "Renamed", from: "new@example.com" })).toMatchObject({
      name: "Renamed",
      from: "new@example.com",
      password_set: true,
    });
    expect(connections()).toBe(before);
    await backend.emailServers.update(id, { username: "other" });
    expect(connections()).toBe(before + 1);
    await expect(backend.emailServers.update(id, { password: "wrong" })).rejects.toMatchObject({ param: "password" });
    expect(teams.steps.filter(({ stage }) => stage === "auth").at(-2)).toMatchObject({
      username: "other",
      password: PASSWORD,
    });
    expect(await backend.emailServers.update(id, { username: "", password: "" })).toMatchObject({
      username: "",
      password_set: false,
    });
  });

  test("a stored password does not go along to another host", async () => {
    const backend = backendWith();
    const { id } = await backend.emailServers.create(settings());
    const before = own.steps.length;
    await expect(backend.emailServers.update(id, { host: "localhost", port: own.port })).rejects.toMatchObject({
      code: "invalid_parameter",
      param: "password",
    });
    expect(own.steps).toHaveLength(before);
    await expect(
      backend.emailServers.update(id, { host: "localhost", port: own.port, password: "theirs" }),
    ).resolves.toMatchObject({ host: "localhost" });
  });

  test("what is not there or not known", async () => {
    const backend = backendWith();
    const { id } = await backend.emailServers.create(settings());
    const gone = { code: "not_found", status: 404 };
    await expect(backend.emailServers.update("srv_no", { name: "x" })).rejects.toMatchObject(gone);
    await expect(backend.emailServers.get("srv_no")).rejects.toMatchObject(gone);
    await expect(backend.emailServers.delete("srv_no")).rejects.toMatchObject(gone);
    for (const [param, patch] of [
      ["team_id", { team_id: "other" }],
      ["id", { id: "srv_1" }],
      ["password_set", { password_set: false }],
    ] as const) {
      await expect(backend.emailServers.update(id, patch as object)).rejects.toMatchObject({ param });
    }
  });
});

test("teams keep to themselves: lists, and the servers that a form may name", async () => {
  const backend = backendWith();
  await backend.teams.create({ id: "blue", name: "Blue" });
  const blue = await backend.emailServers.create(settings({ team_id: "blue" }));
  const mine = await backend.emailServers.create(settings());
  expect((await backend.emailServers.list({ team_id: "blue" })).map(({ id }) => id)).toEqual([blue.id]);
  expect((await backend.emailServers.list()).map(({ id }) => id).sort()).toEqual([blue.id, mine.id].sort());
  const form = await backend.forms.create({ name: "Contact" });
  const sender = (server_id: string) =>
    backend.forms.update(form.id, { self_email_notification: { sender: { server_id } } });
  for (const id of [blue.id, "srv_no"]) {
    await expect(sender(id)).rejects.toMatchObject({
      code: "invalid_parameter",
      param: "self_email_notification.sender.server_id",
    });
  }
  expect((await sender(mine.id)).self_email_notification.sender).toMatchObject({
    type: "email_server",
    server_id: mine.id,
  });
});
