import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { createFormBackend } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";
import { sendingDomain, startDns } from "../../../_support/dns.ts";

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

describe("the address that a form of another team sends from", () => {
  async function twoTeams() {
    const server = await startDns({});
    const b = harness({ from, senderDomains: ["forms.test", "customer.test"] });
    for (const id of ["a", "b"]) await b.teams.create({ id, name: id });
    const form = await b.forms.create({ name: "A" }, { team_id: "a" });
    const verify = (team: string, domain: string) =>
      b.teams.verifyDomain(team, domain, { dns: server.address, selectors: ["s1"] });
    return { b, server, verify, form: form.id };
  }

  it("is neither in the domain of `from` nor in the option's, over no way to set it", async () => {
    const { b, form } = await twoTeams();
    const { key: token } = await b.keys.create({ team_id: "a", name: "k", scopes: "all" });
    for (const email of ["security@forms.test", "sales@customer.test", "ceo@bank.test"]) {
      const param = "self_email_notification.sender.email";
      const refused = { code: "invalid_parameter", param };
      await expect(b.forms.update(form, sender(email))).rejects.toMatchObject(refused);
      await expect(b.forms.create({ name: "B", ...sender(email) }, { team_id: "a" })).rejects.toMatchObject(refused);
      await expect(b.forms.ensure("k", { name: "B", team_id: "a", ...sender(email) })).rejects.toMatchObject(refused);
      const body = { name: "B", ...sender(email) };
      for (const [method, path] of [
        ["PATCH", `/v1/forms/${form}`],
        ["POST", "/v1/forms"],
      ] as const)
        expect((await b.call(method, path, { body, key: token })).json.error).toMatchObject(refused);
      await expect(b.forms.update(form, { settings: { from_email: email } })).rejects.toMatchObject({
        param: "settings.from_email",
      });
    }
    await b.forms.update(form, sender("no-reply@forms.test"));
    await b.forms.update(form, { settings: { from_email: "NO-REPLY@forms.test" } });
  });

  it("is in a domain that the team has proved to control, and that no other team has", async () => {
    const { b, server, verify, form } = await twoTeams();
    const first = await verify("a", "Bakery.test");
    expect(first).toMatchObject({ verified: false });
    expect(first.records.map(({ type, name, found }) => [type, name, found])).toEqual([
      ["TXT", "_sender-proof.bakery.test", false],
      ["TXT", "bakery.test", false],
      ["TXT", "s1._domainkey.bakery.test", false],
      ["TXT", "_dmarc.bakery.test", false],
    ]);
    const proof = first.records[0]!.value;
    // Everything but the proof, or that of another team: the domain is somebody else's.
    const other = await verify("b", "bakery.test");
    expect(other.records[0]!.value).not.toBe(proof);
    server.zone = sendingDomain("bakery.test", other.records[0]!.value);
    expect(await verify("a", "bakery.test")).toMatchObject({ verified: false });
    await expect(b.forms.update(form, sender("hi@bakery.test"))).rejects.toMatchObject({ code: "invalid_parameter" });

    server.zone = sendingDomain("bakery.test", proof);
    expect(await verify("a", "bakery.test")).toMatchObject({ verified: true });
    expect((await b.teams.get("a")).sender_domains).toEqual([{ domain: "bakery.test", verified: true }]);
    await b.forms.update(form, sender("hi@bakery.test"));
    await expect(b.forms.update(form, sender("hi@mail.bakery.test"))).rejects.toThrow(
      /must be an address at bakery.test/,
    );

    const taken = { code: "invalid_parameter", param: "domain" };
    await expect(verify("b", "bakery.test")).rejects.toMatchObject(taken);
    await b.teams.update("b", { sender_domains: [] });
    await expect(b.teams.update("b", { sender_domains: ["bakery.test"] })).rejects.toMatchObject({
      param: "sender_domains.0",
    });
    await expect(b.teams.create({ name: "C", sender_domains: ["x.test", "bakery.test"] })).rejects.toMatchObject({
      param: "sender_domains.1",
    });
    // Given up by one team, it is free for another.
    await b.teams.update("a", { sender_domains: [] });
    await b.teams.update("b", { sender_domains: [{ domain: "bakery.test", verified: false }] });
    const { records } = await verify("b", "bakery.test");
    server.zone = sendingDomain("bakery.test", records[0]!.value);
    expect(await verify("b", "bakery.test")).toMatchObject({ verified: true });
  });

  it("is not made true by the list, nor verified with a record missing, nor changed while DNS is silent", async () => {
    const { b, server, verify } = await twoTeams();
    const claim = { sender_domains: [{ domain: "bakery.test", verified: true }] };
    await expect(b.teams.update("a", claim)).rejects.toMatchObject({ param: "sender_domains.0.verified" });
    const { records } = await verify("a", "bakery.test");
    const whole = sendingDomain("bakery.test", records[0]!.value);
    for (const name of Object.keys(whole)) {
      const { [name]: _, ...rest } = whole;
      server.zone = rest;
      expect(await verify("a", "bakery.test"), name).toMatchObject({ verified: false });
    }
    server.zone = whole;
    expect(await verify("a", "bakery.test")).toMatchObject({ verified: true });
    expect(await b.teams.update("a", claim)).toMatchObject(claim);
    const away = { dns: "127.0.0.1:1" };
    await expect(b.teams.verifyDomain("a", "bakery.test", away)).rejects.toMatchObject({ code: "unavailable" });
    expect(await b.teams.get("a")).toMatchObject(claim);
    await expect(verify("none", "free.test")).rejects.toMatchObject({ code: "not_found" });
    await expect(verify("a", "no domain")).rejects.toMatchObject({ param: "domain" });
  });

  it("is replaced by `from` where it was stored before, and once the domain is no longer verified", async () => {
    const { b, server, verify, form } = await twoTeams();
    const { records } = await verify("a", "bakery.test");
    server.zone = sendingDomain("bakery.test", records[0]!.value);
    await verify("a", "bakery.test");
    await b.forms.update(form, {
      self_email_notification: { recipients: ["owner@bakery.test"], sender: { email: "hi@bakery.test" } },
      auto_response: { enabled: true, from_email: "hi@bakery.test" },
    });
    const senders = async () => {
      const before = b.mails.length;
      await b.post(form, { message: `${before}`, email: `ann${before}@example.com` });
      await b.tick();
      return b.mails.slice(before).map((mail) => mail.from.address);
    };
    expect(await senders()).toEqual(["hi@bakery.test", "hi@bakery.test"]);
    server.zone = {};
    await verify("a", "bakery.test");
    expect(await senders()).toEqual(["no-reply@forms.test", "no-reply@forms.test"]);
  });
});
