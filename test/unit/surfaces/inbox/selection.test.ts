import { describe, expect, it } from "vitest";
import type { InboxAction } from "../../../../src/index.ts";
import { inboxHarness } from "./_inbox.ts";

const base = "http://localhost:3000/forms/inbox";
const HOUR = 3_600_000;

/** Two forms with submissions, oldest first. */
async function twoForms(options: Parameters<typeof inboxHarness>[0] = {}, plan = {}) {
  const plans = { unlimited: { webhooks_per_form: null, ...plan } };
  const backend = inboxHarness(options, { rateLimit: false, plans });
  const actions: InboxAction[] = [];
  backend.on("inbox.action", (action) => void actions.push(action));
  const make = async (name: string) => {
    const { id } = await backend.forms.create({ name });
    return { id, at: `/f/${id}`, ids: [] as string[] };
  };
  const contact = await make("Contact");
  const orders = await make("Orders");
  for (let i = 0; i < 5; i++) {
    for (const form of [contact, orders]) {
      form.ids.push((await backend.submit(form.id, { fields: { note: `number ${i}`, pin: `secret ${i}` } })).id);
      await backend.clock.advance(1_000);
    }
  }
  return { backend, contact, orders, actions, ann: backend.as({}) };
}

describe("an export", () => {
  it("has the selected submissions alone, in the order of the list", async () => {
    const { ann, contact, orders, actions } = await twoForms();
    const ids = [contact.ids[3] ?? "", contact.ids[1] ?? ""];
    const query = new URLSearchParams([
      ["format", "json"],
      ["status", "spam"],
      ...ids.map((id) => ["ids", id] as [string, string]),
    ]);
    const file = await ann.get(`${contact.at}/export?${query}&ids=${orders.ids[0]}&ids=nothing`);
    expect(file.headers.get("content-disposition")).toContain("attachment");
    expect(JSON.parse(file.text).map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(actions).toMatchObject([{ action: "export", form_id: contact.id, ids: [...ids, orders.ids[0], "nothing"] }]);
    const csv = (await ann.get(`${contact.at}/export?format=csv&ids=${ids[0]}`)).text;
    expect(csv).toContain("number 3");
    expect(csv).not.toContain("number 2");
  });

  it("has all that match where all of them are selected, and where none is", async () => {
    const { ann, contact } = await twoForms();
    for (const more of ["", `&all=1&ids=${contact.ids[0]}`]) {
      const { text } = await ann.get(`${contact.at}/export?format=json&q=number${more}`);
      expect(JSON.parse(text), more).toHaveLength(5);
    }
  });

  it("of more than a page is refused with a sentence, and keeps back what the host keeps back", async () => {
    const { ann, contact } = await twoForms({ redact: { fields: ["pin"], value: () => "kept back" } });
    const many = new URLSearchParams(Array.from({ length: 101 }, (_, i): [string, string] => ["ids", `sub_${i}`]));
    expect((await ann.get(`${contact.at}/export?${many}`)).status).toBe(400);
    const { text } = await ann.get(`${contact.at}/export?format=json&ids=${contact.ids[0]}`);
    expect(text).toContain("kept back");
    expect(text).not.toContain("secret");
  });
});

describe("the list over all forms", () => {
  it("marks submissions of several forms at once, and says how many", async () => {
    const { ann, contact, orders, actions, backend } = await twoForms();
    expect((await ann.get("/all")).text).toContain(`action="${base}/all/bulk"`);
    const ids = [contact.ids[0] ?? "", orders.ids[1] ?? ""];
    const done = await ann.post("/all/bulk", { action: "mark_read", ids });
    expect([done.status, done.headers.get("location")]).toEqual([303, `${base}/all`]);
    expect((await ann.get("/all")).text).toContain("2 marked as read");
    expect((await backend.submissions.get(orders.id, ids[1] ?? "")).read).toBe(true);
    expect(actions.map(({ form_id, ids }) => [form_id, ids])).toEqual([
      [contact.id, [ids[0]]],
      [orders.id, [ids[1]]],
    ]);
  });

  it("asks before it deletes without a trash, and deletes what was confirmed", async () => {
    const { ann, contact, orders, backend } = await twoForms({}, { trash_days: 0 });
    const ids = [contact.ids[0] ?? "", orders.ids[1] ?? ""];
    const asked = await ann.post("/all/bulk?q=number", { action: "delete", ids });
    const question = await ann.get(asked.headers.get("location") ?? "");
    expect(question.text).toContain("<h1>Delete 2 submissions?</h1>");
    expect(question.text).toContain("be brought back");
    expect(question.text).not.toContain("stay in the trash");
    expect((await backend.submissions.list(contact.id)).data).toHaveLength(5);
    const done = await ann.post("/all/bulk?q=number", { action: "delete", ids, confirm: "1" });
    expect(done.headers.get("location")).toBe(`${base}/all?q=number`);
    for (const { id } of [contact, orders]) expect((await backend.submissions.list(id)).data).toHaveLength(4);
  });

  it("leaves alone what the person can't reach, and what is gone", async () => {
    const { backend, contact, orders } = await twoForms();
    const some = backend.as({ form_ids: [contact.id] });
    await some.post("/all/bulk", { action: "mark_spam", ids: [orders.ids[0] ?? "", "nothing", contact.ids[0] ?? ""] });
    expect((await backend.submissions.get(orders.id, orders.ids[0] ?? "")).spam).toBe(false);
    expect((await backend.submissions.get(contact.id, contact.ids[0] ?? "")).spam).toBe(true);
    const none = await some.post("/all/bulk", { action: "mark_spam" });
    expect((await some.get(none.headers.get("location") ?? "")).text).toContain(
      "Select at least one submission first.",
    );
    expect((await some.post("/all/bulk", { action: "explode", ids: "x" })).status).toBe(400);
    expect(
      (await some.post("/all/bulk", { action: "mark_read", ids: Array.from({ length: 101 }, (_, i) => `sub_${i}`) }))
        .status,
    ).toBe(400);
    expect((await backend.as({ role: "viewer" }).get("/all")).text).not.toContain('name="ids"');
  });
});

describe("the question before a deletion", () => {
  it("promises the trash of a form that has one, and no other", async () => {
    for (const [trash_days, says] of [
      [30, "stay in the trash"],
      [0, "can't be brought back"],
    ] as const) {
      const { ann, contact } = await twoForms({}, { trash_days });
      const selected = `action=delete&ids=${contact.ids[0]}&ids=${contact.ids[1]}`;
      for (const asked of [`${contact.at}/bulk?${selected}`, `${contact.at}/bulk?action=delete&all=1`]) {
        const text = (await ann.get(asked)).text.replaceAll("&#39;", "'");
        for (const one of ["stay in the trash", "can't be brought back"])
          expect(text.includes(one), asked).toBe(one === says);
      }
      expect((await ann.get(`${contact.at}/bulk?${selected.replace("delete", "delete_forever")}`)).text).toContain(
        "be brought back",
      );
    }
  });
});

describe("a line of the list", () => {
  it("says that a delivery failed, or is being tried again, until it is sent", async () => {
    const { backend, contact, ann } = await twoForms();
    await backend.webhooks.create(contact.id, { url: "https://hooks.example.com/a" });
    backend.answerWebhooks(500);
    const { id } = await backend.submit(contact.id, { fields: { note: "late" } });
    const mark = async (path: string) =>
      new RegExp(`data-submission-id="${id}".*?(?:data-delivery="(\\w+)"|</tr>)`, "s").exec(
        (await ann.get(path)).text,
      )?.[1];
    await backend.clock.advance(1_000);
    expect(await mark(contact.at)).toBe("retrying");
    await backend.clock.advance(80 * HOUR);
    expect(await mark(contact.at)).toBe("failed");
    expect(await mark("/all")).toBe("failed");
    expect(await mark(`${contact.at}?q=late`)).toBe("failed");
    backend.answerWebhooks(200);
    const [job] = await backend.jobs.list({ submission_id: id });
    await ann.post(`${contact.at}/deliveries/${job?.id}`);
    await backend.clock.advance(1_000);
    expect(await mark(contact.at)).toBeUndefined();
  });
});

describe("lines far back", () => {
  it("say so too, below more deliveries than are read at once", async () => {
    const { backend, contact, ann } = await twoForms();
    for (let i = 0; i < 3; i++) await backend.webhooks.create(contact.id, { url: `https://hooks.example.com/${i}` });
    const submit = async (note: string) => (await backend.submit(contact.id, { fields: { note } })).id;
    backend.answerWebhooks(({ url }) => (url.endsWith("/1") ? 410 : 200));
    const old = await submit("rare");
    await backend.clock.advance(1_000);
    for (let i = 0; i < 150; i++) {
      await submit("usual");
      await backend.clock.advance(60_000);
    }
    await submit("rare");
    await backend.clock.advance(1_000);
    const { text } = await ann.get(`${contact.at}?q=rare`);
    expect(text).toMatch(new RegExp(`data-submission-id="${old}"((?!</tr>).)*data-delivery="failed"`, "s"));
    expect(text.match(/data-delivery=/g)).toHaveLength(1);
  });
});

describe("an open submission", () => {
  it("stands beside its neighbours, without its own text twice", async () => {
    const { ann, contact } = await twoForms({ redact: { fields: ["pin"], value: () => "kept back" } });
    const { text } = await ann.get(`${contact.at}/s/${contact.ids[2]}?country=unknown`);
    const [beside = ""] = /<nav class="beside".*?<\/nav>/s.exec(text) ?? [];
    const links = [...beside.matchAll(/href="[^"]*\/s\/(\w+)\?country=unknown"( aria-current="true")?/g)];
    expect(links.map(([, id]) => id)).toEqual(contact.ids.toReversed());
    expect(links.map(([, , current]) => current !== undefined)).toEqual([false, false, true, false, false]);
    expect(beside).toContain("kept back");
    expect(beside).not.toContain("secret");
    expect(text).not.toContain('data-submission-id="' + contact.ids[1]);
  });
});
