import { describe, expect, it } from "vitest";
import { inboxHarness } from "./_inbox.ts";

const rowsOf = (text: string): string[] =>
  [...text.matchAll(/<tr data-submission-id="(\w+)"/g)].map(([, id = ""]) => id);

/** A form that asks for a confirmation, with one submission that waits for it. */
async function waiting(options: Parameters<typeof inboxHarness>[0] = {}) {
  const backend = inboxHarness(options, { rateLimit: false });
  const { id: formId } = await backend.forms.create({ name: "Newsletter" });
  await backend.forms.update(formId, { settings: { double_opt_in: { enabled: true, field: "email" } } });
  const post = async (email: string) =>
    (await backend.submit(formId, { fields: { email, wish: "Sunday <b>news</b>" } })).id;
  const id = await post("bo@example.com");
  await backend.clock.advance(60_000);
  const mails = () => backend.mails.filter(({ to }) => to.address === "bo@example.com");
  return {
    backend,
    formId,
    id,
    post,
    mails,
    at: `/f/${formId}`,
    page: `/f/${formId}/pending/${id}`,
    ann: backend.as({}),
  };
}

describe("submissions that wait for a confirmation", () => {
  it("have a tab of their own, and are in no other list", async () => {
    const { ann, at, id, backend } = await waiting();
    const inbox = await ann.get(at);
    expect(inbox.text).toContain(`href="http://localhost:3000/forms/inbox${at}?status=pending"`);
    expect(rowsOf(inbox.text)).toEqual([]);
    const list = await ann.get(`${at}?status=pending`);
    expect(rowsOf(list.text)).toEqual([id]);
    expect(list.text).not.toContain('name="ids"');
    expect(list.text).not.toContain("data-poll");
    expect(rowsOf((await ann.get("/all")).text)).toEqual([]);
    expect(rowsOf((await ann.get(`${at}?status=pending&q=nothing-like-this`)).text)).toEqual([]);
    const other = await backend.forms.create({ name: "Contact" });
    expect((await ann.get(`/f/${other.id}`)).text).not.toContain("status=pending");
    expect((await ann.get(`/f/${other.id}?status=pending`)).text).toContain("Nobody is waiting");
  });

  it("show what was sent, the sentence and the time, and are not confirmed by opening them", async () => {
    const { ann, page, backend, formId } = await waiting();
    const { status, text } = await ann.get(page);
    expect(status).toBe(200);
    expect(text).toContain("Sunday &lt;b&gt;news");
    expect(text).toContain("Asked to confirm");
    expect(text).toMatch(/<time datetime="[^"]+" data-time="long">/);
    expect(text).not.toMatch(/\/c\/[\w-]/);
    expect((await backend.submissions.list(formId)).data).toEqual([]);
  });

  it("have their email sent again by a post of an editor, at most three times an hour", async () => {
    const { backend, ann, page, mails, formId } = await waiting();
    expect(mails()).toHaveLength(1);
    const action = /action="([^"]+\/deliveries\/\w+)"/.exec((await ann.get(page)).text)?.[1] ?? "";
    expect((await backend.as({ role: "agent" }).get(page)).text).not.toContain("Send again");
    expect((await backend.as({ role: "agent" }).post(action, { from: "pending" })).status).toBe(403);
    const sent = await ann.post(action, { from: "pending" });
    expect(sent.headers.get("location")).toBe(`http://localhost:3000/forms/inbox${page}`);
    await backend.clock.advance(60_000);
    expect(mails()).toHaveLength(2);
    for (let i = 0; i < 2; i++) {
      await ann.post(action, { from: "pending" });
      await backend.clock.advance(60_000);
    }
    const refused = await ann.post(action, { from: "pending" });
    expect(refused.status).toBe(429);
    expect(refused.text).toContain("emails an hour");
    expect((await backend.submissions.list(formId)).data).toEqual([]);
  });

  it("lead to their own page once they are confirmed, and are not found once they are gone", async () => {
    const { backend, ann, page, mails, at, id } = await waiting();
    const [, token = ""] = /\/c\/([\w.-]+)/.exec(mails()[0]?.text ?? "") ?? [];
    const confirmed = await backend.handle(new Request(`${backend.baseUrl}/c/${token}`, { method: "POST" }));
    expect(confirmed.status).toBe(200);
    const { status, headers } = await ann.get(page);
    expect([status, headers.get("location")]).toEqual([303, `http://localhost:3000/forms/inbox${at}/s/${id}`]);
    await backend.submissions.delete(at.slice(3), id);
    expect((await ann.get(page)).status).toBe(404);
    expect((await ann.get(`${at}/pending/nothing`)).status).toBe(404);
  });

  it("keep back what the host redacts", async () => {
    const { ann, page, at } = await waiting({ redact: { fields: ["wish"], value: () => "kept back" } });
    for (const path of [page, `${at}?status=pending`]) {
      const { text } = await ann.get(path);
      expect(text).not.toContain("Sunday");
      expect(text).toContain("kept back");
    }
  });
});
