import { describe, expect, it } from "vitest";
import { message, world } from "../../../_support/inbound-world.ts";

type World = Awaited<ReturnType<typeof world>>;

/** The addresses that got a copy of Ann's mail. */
const copied = ({ b }: World): string[] =>
  b.mails.flatMap(({ to, text }) => (text.includes("And on Sundays?") ? to.address : [])).sort();
const codes = async ({ b, form }: World): Promise<unknown[]> =>
  (await b.emails.list(form.id, { kind: "forward" })).data.map(({ to, status, code }) => [to, status, code]).sort();
const recipients = (w: World, list: string[]) =>
  w.b.forms.update(w.form.id, { self_email_notification: { recipients: list } });

describe("the copy of a mail that came back", () => {
  it("waits until its recipient has confirmed the address, where the option says so", async () => {
    const w = await world({ confirmRecipients: true });
    await w.raw(message(w.reply, { text: "And on Sundays?" }));
    await w.b.tick();
    expect(copied(w)).toEqual([]);
    expect(await codes(w)).toEqual([["owner@acme.test", "pending", "WAITING_CONFIRMATION"]]);
    const asked = w.b.mails.filter(({ text }) => text.includes("/c/recipient/"));
    expect(asked).toHaveLength(1);
    const link = /http\S+\/c\/recipient\/\S+/.exec(asked[0]?.text ?? "")?.[0] ?? "";
    await w.b.handle(new Request(link, { method: "POST" }), { ip: "203.0.113.7" });
    await w.b.tick();
    expect(copied(w)).toEqual(["owner@acme.test"]);
  });

  it("goes to nobody who is no recipient any more, nor beyond the recipients of a smaller plan", async () => {
    const w = await world({ plans: { large: {}, small: { recipients: 1 } }, defaultPlan: "large" });
    await recipients(w, ["owner@acme.test", "second@acme.test", "third@acme.test"]);
    await w.raw(message(w.reply, { text: "And on Sundays?" }));
    await recipients(w, ["owner@acme.test", "second@acme.test"]);
    await w.b.teams.update("default", { plan: "small" });
    await w.b.tick();
    expect(copied(w)).toEqual(["owner@acme.test"]);
    expect(await codes(w)).toEqual([
      ["owner@acme.test", "succeeded", "SUCCESS"],
      ["second@acme.test", "skipped", "SKIPPED_PLAN_RESTRICTED"],
      ["third@acme.test", "skipped", "SKIPPED_NO_RECIPIENT"],
    ]);
  });

  it("is not sent once the form sends no notifications", async () => {
    const w = await world();
    await w.raw(message(w.reply, { text: "And on Sundays?" }));
    await w.b.forms.update(w.form.id, { self_email_notification: { enabled: false } });
    await w.b.tick();
    expect(copied(w)).toEqual([]);
    expect(await codes(w)).toEqual([["owner@acme.test", "skipped", "SKIPPED_EMAIL_DISABLED"]]);
  });

  it("goes only where the routing sent the submission, as the webhook of it does", async () => {
    const w = await world({ plans: { unlimited: { webhooks_per_form: null } } });
    const hooks = [];
    for (const name of ["sales", "support"])
      hooks.push(
        await w.b.webhooks.create(w.form.id, { url: `https://${name}.example`, events: ["message.received"] }),
      );
    await w.b.forms.update(w.form.id, {
      self_email_notification: { recipients: ["owner@acme.test", "sales@acme.test", "boss@acme.test"] },
      settings: {
        routing: {
          rules: [
            {
              if: { all: [{ field: "text", type: "contains", value: "offer" }] },
              to: { recipients: ["sales@acme.test"], bcc: ["boss@acme.test"], webhooks: [hooks[0]?.id ?? ""] },
            },
          ],
        },
      },
    });
    const { id } = await w.b.submit(w.form.id, { fields: { email: "ann@example.com", text: "An offer?" } });
    await w.b.messages.send(w.form.id, id, { text: "Here it is." });
    await w.b.tick();
    const reply = w.b.mails.findLast(({ to }) => to.address === "ann@example.com")?.replyTo?.address ?? "";
    expect((await w.raw(message(reply, { text: "And on Sundays?" }))).result).toBe("stored");
    await w.b.tick();
    expect(copied(w)).toEqual(["boss@acme.test", "sales@acme.test"]);
    expect(w.b.webhookCalls.map(({ url }) => new URL(url).hostname)).toEqual(["sales.example"]);
  });
});
