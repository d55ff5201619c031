import { describe, expect, it } from "vitest";
import { ann, inboxHarness } from "./_inbox.ts";

async function world(options: Parameters<typeof inboxHarness>[0] = {}) {
  const backend = inboxHarness(options, { rateLimit: false, from: "Acme <forms@acme.test>" });
  const form = await backend.forms.create({ name: "Contact", self_email_notification: { recipients: [] } });
  const submission = await backend.submit(form.id, { fields: { email: "bo@example.com", text: "Hello?" } });
  return { backend, form, submission, person: backend.as(ann), at: `/f/${form.id}/s/${submission.id}` };
}

const keyIn = (page: string): string => /name="key" value="([^"]+)"/.exec(page)?.[1] ?? "";

describe("the composer under a submission", () => {
  it("sends an answer in the person's name without JavaScript, once however often it is posted", async () => {
    const { backend, person, at } = await world();
    const { text } = await person.get(at);
    expect(text).toContain("Your answer to bo@example.com");
    const body = { text: "Hi <Bo>", key: keyIn(text), action: "send" };
    for (const _ of [1, 2]) expect((await person.post(`${at}/reply`, body)).status).toBe(303);
    const shown = (await person.get(at)).text;
    expect(shown).toContain("The answer is on its way.");
    expect(shown).toContain("Hi &lt;Bo&gt;");
    expect(shown).toContain("Waiting to be sent");
    await backend.tick();
    expect(backend.mails.map(({ to, from }) => [to.address, from])).toEqual([
      ["bo@example.com", { name: "Ann", address: "forms@acme.test" }],
    ]);
    expect((await person.get(at)).text).toContain("· Sent");
  });

  it("keeps the text of an answer that is refused, and says why", async () => {
    const { backend, person, at } = await world();
    await backend.teams.update("default", { plan: "free" });
    await backend.clock.advance(5_000);
    const refused = await person.post(`${at}/reply`, { text: "Do not lose me", action: "send" });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain("does not include answers");
    expect(refused.text).toContain("Do not lose me");
  });

  it("is not there for those who may not write, and says that an address is suppressed", async () => {
    const { backend, form, submission, person, at } = await world();
    await backend.suppressions.add({ email: "bo@example.com" });
    await backend.messages.send(form.id, submission.id, { text: "Hi" });
    await backend.tick();
    expect((await person.get(at)).text).toContain("this address takes no mail");
    const viewer = backend.as({ ...ann, id: "vi", role: "viewer" });
    const { text } = await viewer.get(at);
    expect(text).not.toContain("reply-text");
    expect(text).toContain('href="mailto:bo%40example.com');
    expect((await viewer.post(`${at}/reply`, { text: "Hi", action: "send" })).status).toBe(403);
  });

  it("leads to the next one after Send and mark done", async () => {
    const { backend, form, person } = await world();
    await backend.clock.advance(1_000);
    const newer = await backend.submit(form.id, { fields: { email: "cy@example.com" } });
    const older = (await backend.submissions.list(form.id)).data.at(-1);
    const answered = await person.post(`/f/${form.id}/s/${newer.id}/reply`, { text: "Done", action: "send_done" });
    expect(answered.headers.get("location")).toContain(`/s/${older?.id}`);
    expect((await backend.submissions.get(form.id, newer.id)).read).toBe(true);
  });
});
