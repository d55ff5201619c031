import { describe, expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";
import { closing } from "./_mail.ts";

const plans = { large: {}, small: { auto_response: false, custom_sender: false, recipients: 1, webhooks: false } };

/** A form of a team whose plan was large when it was saved. */
async function saved() {
  const b = closing(harness({ plans, from: "Forms <forms@host.example>", rateLimit: false }));
  await b.teams.create({ id: "acme", name: "Acme", plan: "large" });
  const server = await b.emailServers.create({
    team_id: "acme",
    name: "S",
    host: "smtp.acme.test",
    port: 465,
    username: "acme",
    password: "correct horse",
    from: "Acme <hello@acme.test>",
  });
  const { id } = await b.forms.create({
    name: "Contact",
    team_id: "acme",
    self_email_notification: {
      recipients: ["ann@acme.test", "ben@acme.test"],
      sender: { server_id: server.id, name: "Acme's forms" },
    },
    auto_response: { enabled: true },
  });
  await b.webhooks.create(id, { url: "https://example.com/hook" });
  const sent = async () => {
    const before = b.mails.length;
    await b.submit(id, { fields: { email: "visitor@example.com", n: String(before) } });
    await b.tick();
    return b.mails
      .slice(before)
      .map(({ from, to }) => `${from.address} → ${to.address}`)
      .sort();
  };
  return { b, id, sent };
}

describe("a smaller plan", () => {
  it("sends what it includes alone, and a larger one everything again as it was saved", async () => {
    const { b, id, sent } = await saved();
    const all = [
      "forms@host.example → visitor@example.com",
      "hello@acme.test → ann@acme.test",
      "hello@acme.test → ben@acme.test",
    ];
    expect([await sent(), b.webhookCalls.length]).toEqual([all, 1]);
    await b.teams.update("acme", { plan: "small" });
    expect([await sent(), b.webhookCalls.length]).toEqual([["forms@host.example → ann@acme.test"], 1]);
    expect(b.mails.at(-1)?.from.name).toBe("Forms");
    const skipped = (await b.jobs.list({ form_id: id, status: "skipped" })).map(({ kind, code }) => [kind, code]);
    expect(skipped.sort()).toEqual([
      ["auto_response", "SKIPPED_PLAN_RESTRICTED"],
      ["owner_email", "SKIPPED_PLAN_RESTRICTED"],
      ["webhook", "SKIPPED_PLAN_RESTRICTED"],
    ]);
    await b.teams.update("acme", { plan: "large" });
    expect([await sent(), b.webhookCalls.length]).toEqual([all, 2]);
  });
});
