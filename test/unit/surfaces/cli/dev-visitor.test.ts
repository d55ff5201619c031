import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Mail } from "../../../../src/index.ts";
import { devSite } from "../../../../src/surfaces/cli/dev/site.ts";
import { visitorAt } from "../../../../src/surfaces/cli/dev/visitor.ts";
import { harness } from "../../../_support/backend.ts";

/** The pages of `dev` over a backend whose mails are in its mailbox. */
async function world() {
  const visitor = visitorAt("http://localhost:3000/forms");
  const b = harness({ rateLimit: false, from: "Forms <forms@example.com>", inbound: visitor.inbound });
  const form = await b.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["owner@example.com"] },
  });
  const submission = await b.submit(form.id, { fields: { email: "ann@example.com", text: "When do you open?" } });
  await b.messages.send(form.id, submission.id, { text: "At nine." });
  await b.tick();
  const mailbox = {
    add: async () => {},
    get: async (id: string) => b.mails[Number(id)] ?? null,
    newest: async () => b.mails.map((item, id) => ({ id: String(id), item })),
  };
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  server.on(
    "request",
    devSite({
      port,
      endpoint: form.endpoint,
      inboxUrl: "/inbox",
      mailbox: mailbox as never,
      webhooks: mailbox as never,
      receive: async () => 204,
      canAnswer: visitor.canAnswer,
      writeBack: (mail: Mail, text: string) => visitor.answer(mail, text, (request) => b.handle(request)),
    }),
  );
  const origin = `http://localhost:${port}`;
  const answered = b.mails.findIndex(({ to }) => to.address === "ann@example.com");
  return {
    b,
    origin,
    answered,
    thread: async () => (await b.messages.list(form.id, submission.id)).data.map(({ text, from }) => [from, text]),
    write: (id: number, text: string, headers: Record<string, string> = { origin }) =>
      fetch(`${origin}/mailbox/${id}/answer`, { method: "POST", headers, body: new URLSearchParams({ text }) }),
  };
}

describe("the visitor of `form-backend dev`", () => {
  it("writes back to a mail in the mailbox, and the answer stands in the conversation", async () => {
    const w = await world();
    const page = await (await fetch(`${w.origin}/mailbox/${w.answered}`)).text();
    expect(page).toContain("Write back as ann@example.com");
    const { status } = await w.write(w.answered, "And on Sundays?");
    expect(status).toBe(200);
    expect(await w.thread()).toEqual([
      ["forms@example.com", "At nine."],
      ["ann@example.com", "And on Sundays?"],
    ]);
  });

  it("is asked by the pages of dev alone, for mails that ask to be written to", async () => {
    const w = await world();
    expect((await w.write(w.answered, "Hi", { origin: "https://evil.example" })).status).toBe(403);
    expect((await w.write(w.answered, "Hi", {})).status).toBe(403);
    expect((await w.write(w.answered, " ")).status).toBe(400);
    expect((await w.write(w.answered, "x".repeat(50_001))).status).toBe(400);
    const notification = w.b.mails.findIndex(({ to }) => to.address === "owner@example.com");
    expect(await (await fetch(`${w.origin}/mailbox/${notification}`)).text()).not.toContain("Write back");
    expect((await w.write(notification, "Hi")).status).toBe(400);
    expect((await w.write(99, "Hi")).status).toBe(404);
    const direct = await w.b.handle(new Request(`${w.b.baseUrl}/inbound/dev`, { method: "POST", body: "{}" }));
    expect(direct.status).toBe(401);
    expect(await w.thread()).toHaveLength(1);
  });
});
