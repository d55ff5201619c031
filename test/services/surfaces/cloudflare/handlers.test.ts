import { describe, expect, it } from "vitest";
import type { Form } from "../../../../src/model/forms.ts";
import { type Site, startPeer, startSite } from "./_peer.ts";

const peer = await startPeer();
const bindings = { PEER: peer.url };

const submissionOf = async (site: Site): Promise<{ form: Form; id: string }> => {
  const { value: form } = await site.call<Form>("forms.create", { name: "Contact" });
  const fields = { email: "ann@example.com", text: "When do you open?" };
  const { value } = await site.call<{ id: string }>("submit", form.id, { fields });
  return { form, id: value.id };
};

const mail = (id: string, to: string): string =>
  [
    "From: Ann <ann@example.com>",
    `To: ${to}`,
    "Subject: Re: Contact",
    `Message-ID: <${id}@example.com>`,
    "Content-Type: text/plain; charset=utf-8",
    "",
    "Thank you, see you at nine!",
    "",
    "On Thu, 26 Nov 2026 at 09:00, Forms <forms@site.test> wrote:",
    "> At nine.",
    "",
  ].join("\r\n");

/** Hands the Worker a mail, as Email Routing does. */
const deliver = async (site: Site, to: string, body: string): Promise<{ status: number; text: string }> => {
  const query = new URLSearchParams({ from: "ann@example.com", to });
  const response = await site.fetch(`/cdn-cgi/handler/email?${query}`, { method: "POST", body });
  return { status: response.status, text: await response.text() };
};

interface Message {
  readonly direction: string;
  readonly text: string;
}
const thread = async (site: Site, form: string, id: string): Promise<readonly Message[]> =>
  (await site.call<{ data: Message[] }>("messages.list", form, id)).value.data;

describe("email() of the Worker", async () => {
  const site = await startSite({ bindings, unsafeTriggerHandlers: true } as never);
  const { form, id } = await submissionOf(site);
  await site.call("messages.send", form.id, id, { text: "At nine." });
  let reply = "";

  it("puts an answer into its thread, once", async () => {
    await expect.poll(() => peer.mails.some(({ to }) => to === "ann@example.com")).toBe(true);
    reply = peer.mails.findLast(({ to }) => to === "ann@example.com")?.replyTo ?? "";
    expect(reply).toMatch(/@in\.site\.test$/);
    const { status, text } = await deliver(site, reply, mail("one", reply));
    expect(status, text).toBe(200);
    await expect.poll(async () => (await thread(site, form.id, id)).length).toBe(2);
    expect((await thread(site, form.id, id)).at(-1)).toMatchObject({
      direction: "in",
      text: "Thank you, see you at nine!",
    });
    await deliver(site, reply, mail("one", reply));
    expect(await thread(site, form.id, id)).toHaveLength(2);
  });

  it("knows it by the envelope, where the header names another address", async () => {
    expect((await deliver(site, reply, mail("two", "contact@acme.example"))).status).toBe(200);
    expect(await thread(site, form.id, id)).toHaveLength(3);
  });

  it("has the sender's server try again where the secret is wrong", async () => {
    const other = await startSite({
      bindings: { ...bindings, PIPE: "another secret" },
      unsafeTriggerHandlers: true,
    } as never);
    const { status, text } = await deliver(other, reply, mail("three", reply));
    expect([status, text]).toEqual([500, expect.stringContaining("the backend answered 401 to a mail")]);
  });
});

describe("scheduled() of the Worker", () => {
  it("runs what is due, where no alarm rings", async () => {
    const site = await startSite({ bindings: { ...bindings, SILENT: true }, unsafeTriggerHandlers: true } as never);
    const { value: form } = await site.call<Form>("forms.create", {
      name: "Contact",
      self_email_notification: { recipients: ["owner@acme.example"] },
    });
    await site.call("submit", form.id, { fields: { text: "Hello" } });
    const response = await site.fetch("/cdn-cgi/handler/scheduled?cron=*+*+*+*+*");
    expect([response.status, await response.text()]).toEqual([200, "ok"]);
    await expect.poll(() => peer.mails.some(({ to }) => to === "owner@acme.example")).toBe(true);
  });
});
