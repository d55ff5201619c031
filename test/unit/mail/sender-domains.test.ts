import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../src/drivers/storage/memory.ts";
import { createFormBackend } from "../../../src/index.ts";
import { harness } from "../../_support/backend.ts";

const from = "Forms <no-reply@forms.test>";
const sender = (email: string, more: object = {}) => ({ self_email_notification: { sender: { email, ...more } } });
const own = { name: "Ours", host: "smtp.example.com", port: 587, from: "team@customer.test" };

describe("the address that a form sends from", () => {
  it("is one in the domain of `from`, whatever its spelling, and no other", async () => {
    const b = harness({ from: "no-reply@bücher.example" });
    const { id } = await b.forms.create({ name: "A" });
    const patch = async (email: string) => (await b.call("PATCH", `/v1/forms/${id}`, { body: sender(email) })).json;
    for (const domain of ["bücher.example", "xn--bcher-kva.example", "BÜCHER.example"])
      expect((await patch(`sales@${domain}`)).error).toBeUndefined();
    for (const domain of ["example.com", "mail.bücher.example", "bucher.example", "xn--bcher-kva.example.evil.test"]) {
      const { error } = await patch(`sales@${domain}`);
      expect([error?.code, error?.param]).toEqual(["invalid_parameter", "self_email_notification.sender.email"]);
      expect(error.message).toContain("xn--bcher-kva.example");
    }
    expect((await patch("")).error).toBeUndefined();
  });

  it("may be in each of `senderDomains`, or in none where that is empty", async () => {
    const b = harness({ from, senderDomains: ["Customer.test"] });
    const { id } = await b.forms.create({ name: "A", ...sender("a@customer.test") });
    await expect(b.forms.update(id, sender("a@forms.test"))).rejects.toMatchObject({ code: "invalid_parameter" });
    const none = harness({ from, senderDomains: [] });
    await expect(none.forms.create({ name: "A", ...sender("a@forms.test") })).rejects.toMatchObject({
      message: expect.stringContaining("must be empty"),
    });
    expect(() => createFormBackend({ baseUrl: "https://a.example", senderDomains: ["a@b.example"] })).toThrow(
      /senderDomains.0`: must be a domain/,
    );
  });

  it("is any over the team's own email server, which can't be taken away from under it", async () => {
    const b = harness({ from });
    const { id: server_id } = await b.emailServers.create(own);
    const { id } = await b.forms.create({ name: "A", ...sender("ceo@bank.test", { server_id }) });
    const patch = (body: object) => b.call("PATCH", `/v1/forms/${id}`, { body });
    expect((await patch({ self_email_notification: { sender: { server_id: "" } } })).json.error.param).toBe(
      "self_email_notification.sender.email",
    );
    expect((await patch(sender("other@bank.test"))).status).toBe(200);
    expect((await patch(sender("", { server_id: "" }))).status).toBe(200);
  });

  it("of replies is held to the same domains", async () => {
    const b = harness({ from });
    const reply = (from_email: string) => ({ name: "A", auto_response: { from_email } });
    await expect(b.forms.create(reply("a@bank.test"))).rejects.toMatchObject({ param: "auto_response.from_email" });
    await b.forms.create(reply("a@forms.test"));
  });

  it("of a form that had another before is replaced by `from`, loses no mail, and gets the answers", async () => {
    const storage = memoryStorage();
    const before = harness({ storage, from, senderDomains: ["customer.test"] });
    const { id } = await before.forms.create({
      name: "A",
      self_email_notification: {
        recipients: ["owner@customer.test"],
        sender: { name: "Customer", email: "sales@customer.test" },
      },
      auto_response: { enabled: true, from_email: "help@customer.test" },
    });
    const now = harness({ storage, from });
    await now.post(id, { message: "no address" });
    await now.post(id, { message: "hi", email: "ann@example.com" });
    await now.tick();
    const sent = now.mails.map((mail) => [mail.to.address, mail.from, mail.replyTo?.address]);
    expect(sent).toHaveLength(3);
    const owner = { name: "Customer", address: "no-reply@forms.test" };
    expect(sent).toEqual(
      expect.arrayContaining([
        ["owner@customer.test", owner, "sales@customer.test"],
        ["owner@customer.test", owner, "ann@example.com"],
        ["ann@example.com", { name: "Forms", address: "no-reply@forms.test" }, "help@customer.test"],
      ]),
    );
    // The rest of the form can be changed, with its sender sent back as it was answered.
    const { type: _, ...same } = (await now.forms.get(id)).self_email_notification.sender;
    const patch = { name: "B", self_email_notification: { sender: same } };
    expect((await now.call("PATCH", `/v1/forms/${id}`, { body: patch })).status).toBe(200);
  });
});
