import { describe, expect, onTestFinished, test } from "vitest";
import type { TestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../_support/smtp.ts";
import { backendWith, own, PASSWORD, settings, teams } from "./_servers.ts";

describe("mail of a form with a server", () => {
  async function formWith(backend: TestBackend, sender: object) {
    const form = await backend.forms.create({
      name: "Contact",
      self_email_notification: { recipients: ["owner@example.com"], sender },
      auto_response: { enabled: true },
    });
    await backend.submit(form.id, { fields: { email: "ada@example.com" } });
    await backend.tick();
    return form;
  }
  const last = (server: TestSmtpServer) => server.messages.at(-1);

  test("goes over it, with the sender that server or form says; the auto-response goes the usual way", async () => {
    const backend = backendWith({ from: "Forms <forms@example.net>" });
    const { id: server_id } = await backend.emailServers.create(settings());
    const count = { own: own.messages.length, teams: teams.messages.length };
    await formWith(backend, { server_id });
    expect(last(teams)).toMatchObject({
      username: "team",
      envelopeFrom: "team@example.com",
      from: { name: "Our team", address: "team@example.com" },
      recipients: ["owner@example.com"],
    });
    expect(last(own)).toMatchObject({
      from: { name: "Forms", address: "forms@example.net" },
      recipients: ["ada@example.com"],
    });
    await formWith(backend, { server_id, name: "Sales", email: "sales@example.com" });
    expect(last(teams)).toMatchObject({
      envelopeFrom: "sales@example.com",
      from: { name: "Sales", address: "sales@example.com" },
    });
    expect([own.messages.length - count.own, teams.messages.length - count.teams]).toEqual([2, 2]);
  });

  test("goes the usual way again when the server is deleted, under the usual address", async () => {
    const backend = backendWith({ from: "Forms <forms@example.net>" });
    const { id: server_id } = await backend.emailServers.create(settings());
    const form = await formWith(backend, { server_id, name: "Sales", email: "sales@example.com" });
    expect(await backend.emailServers.delete(server_id)).toEqual({ id: server_id, deleted: true });
    expect((await backend.forms.get(form.id)).self_email_notification.sender).toEqual({
      type: "default",
      server_id: "",
      name: "Sales",
      email: "",
    });
    const before = own.messages.length;
    await backend.submit(form.id, { fields: { message: "hello" } });
    await backend.tick();
    expect(own.messages).toHaveLength(before + 1);
    expect(last(own)).toMatchObject({
      from: { name: "Sales", address: "forms@example.net" },
      recipients: ["owner@example.com"],
    });
  });

  test("a changed password is used from the next mail on; a refused one is retried and not lost", async () => {
    const backend = backendWith();
    let right = PASSWORD;
    const picky = await startSmtpServer({
      script: (step) => (step.stage === "auth" && step.password !== right ? { reply: 535 } : undefined),
    });
    onTestFinished(picky.close);
    const { id: server_id } = await backend.emailServers.create(settings({ port: picky.port }));
    right = "changed at the provider";
    const form = await formWith(backend, { server_id });
    const [job] = await backend.jobs.list({ form_id: form.id, kind: "owner_email" });
    expect(job).toMatchObject({ status: "retrying", code: "ERROR_EMAIL_AUTH", http_status: 535 });
    await backend.emailServers.update(server_id, { password: right });
    await backend.clock.advance(60_000);
    expect(picky.messages).toHaveLength(1);
    expect(await backend.jobs.list({ form_id: form.id, kind: "owner_email" })).toMatchObject([{ status: "succeeded" }]);
  });
});
