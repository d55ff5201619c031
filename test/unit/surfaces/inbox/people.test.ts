import { describe, expect, it } from "vitest";
import { inboxHarness } from "./_inbox.ts";

const BO = "bo@example.com";

async function somePeople(options = {}) {
  const backend = inboxHarness(options, { rateLimit: false });
  await backend.teams.create({ id: "other", name: "Other" });
  const contact = await backend.forms.create({ name: "Contact", storage: { keep_for: "30_days" } });
  const jobs = await backend.forms.create({ name: "Jobs" });
  const foreign = await backend.forms.create({ name: "Theirs", team_id: "other" });
  const post = async (form: { id: string }, fields: Record<string, string>) =>
    (await backend.submit(form.id, { fields })).id;
  const ids = {
    contact: await post(contact, { email: BO, message: "Do you deliver?" }),
    jobs: await post(jobs, { message: `Write to ${BO}` }),
    joann: await post(contact, { email: `jo${BO}`, message: "Another person" }),
    foreign: await post(foreign, { email: BO, message: "Secret of others" }),
  };
  const actions: object[] = [];
  backend.on("inbox.action", ({ at: _, ...action }) => void actions.push(action));
  return { backend, ids, actions, contact, jobs, foreign };
}

it("finds all of one address over all forms, with the day on which each goes, and keeps the address out of the address bar", async () => {
  const { backend, ids, actions } = await somePeople();
  const admin = backend.as({});
  const { status, text } = await admin.post("/people", { email: ` ${BO.toUpperCase()} `, action: "find" });
  expect(status).toBe(200);
  expect(text).toContain("2 submissions with this address");
  for (const id of [ids.contact, ids.jobs]) expect(text).toContain(`data-submission-id="${id}"`);
  for (const id of [ids.joann, ids.foreign]) expect(text).not.toContain(id);
  expect(text).toMatch(/<bdi>Contact<\/bdi>.*31 Jan/);
  expect(text).toMatch(/<bdi>Jobs<\/bdi>.*Kept until somebody deletes it/);
  expect(text).not.toMatch(/href="[^"]*bo(@|%40)example/i);
  const found = [ids.contact, ids.jobs].sort();
  expect(actions).toEqual([
    {
      action: "find_person",
      user: { id: "ann", name: "Ann" },
      team_id: "default",
      form_id: null,
      ids: expect.toSatisfy((all: string[]) => all.toSorted().join() === found.join()),
    },
  ]);
  expect((await admin.post("/people", { email: "nobody@example.com" })).text).toContain("No submission has");
  const wrong = await admin.post("/people", { email: "no address" });
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain('id="email-fault"');
});

it("exports them as the API does, and nothing of another team", async () => {
  const { backend, ids } = await somePeople();
  const { headers, text } = await backend.as({}).post("/people", { email: BO, action: "export" });
  expect(headers.get("content-disposition")).toContain("attachment");
  expect(headers.get("cache-control")).toBe("no-store");
  const { data } = JSON.parse(text) as { data: { id: string }[] };
  expect(data.map(({ id }) => id).sort()).toEqual([ids.contact, ids.jobs].sort());
  expect(text).not.toContain("Secret of others");
});

it("erases them once the address is typed again, and shows the receipt", async () => {
  const { backend, ids, actions, contact, jobs, foreign } = await somePeople();
  const admin = backend.as({});
  const asked = await admin.post("/people", { email: BO, action: "erase" });
  expect(asked.text).toContain("Erase bo@example.com?");
  const wrong = await admin.post("/people", { email: BO, action: "erase", typed: "bo" });
  expect(wrong.status).toBe(400);
  expect((await backend.submissions.get(contact.id, ids.contact)).id).toBe(ids.contact);
  const { status, text } = await admin.post("/people", { email: BO, action: "erase", typed: BO.toUpperCase() });
  expect(status).toBe(200);
  expect(text).toMatch(/Submissions<\/dt><dd>2</);
  expect(text).toContain("&quot;submissions&quot;: 2");
  expect(text).not.toContain(BO);
  await expect(backend.submissions.get(contact.id, ids.contact)).rejects.toThrow();
  await expect(backend.submissions.get(jobs.id, ids.jobs)).rejects.toThrow();
  for (const [form, id] of [
    [contact, ids.joann],
    [foreign, ids.foreign],
  ] as const)
    expect((await backend.submissions.get(form.id, id)).id).toBe(id);
  expect(actions).toMatchObject([{ action: "erase_person", ids: [] }]);
  expect(JSON.stringify(actions)).not.toContain(BO);
});

it("lets each role do its part, and reaches no form that is not on a person's list", async () => {
  const { backend, ids, contact } = await somePeople();
  const send = (user: object, action: string) => backend.as(user).post("/people", { email: BO, action, typed: BO });
  expect((await send({ role: "viewer" }, "find")).text).not.toMatch(/value="(export|erase)"/);
  expect((await send({ role: "viewer" }, "export")).status).toBe(403);
  expect((await send({ role: "agent" }, "export")).status).toBe(200);
  expect((await send({ role: "editor" }, "erase")).status).toBe(403);
  const some = { form_ids: [contact.id] };
  expect((await send(some, "find")).text).not.toContain(ids.jobs);
  expect((await send(some, "export")).text).not.toContain(ids.jobs);
  expect((await send({ role: "viewer", can: ["erase"], ...some }, "erase")).text).toMatch(/Submissions<\/dt><dd>1</);
});

it("keeps back what the host keeps back: neither shown, exported, nor found by it", async () => {
  const { backend, ids, contact } = await somePeople({
    redact: { fields: ["email"], value: () => "…" },
  });
  const both = (await backend.submit(contact.id, { fields: { email: BO, cc: BO } })).id;
  const admin = backend.as({});
  const { text } = await admin.post("/people", { email: BO, action: "find" });
  expect(text).toContain(both);
  expect(text).toContain(ids.jobs);
  expect(text).not.toContain(ids.contact);
  const exported = await admin.post("/people", { email: BO, action: "export" });
  const { data } = JSON.parse(exported.text) as { data: { id: string; fields: unknown }[] };
  expect(data.find(({ id }) => id === both)?.fields).toEqual([
    { key: "email", value: "…" },
    { key: "cc", value: BO },
  ]);
  expect(data.map(({ id }) => id)).not.toContain(ids.contact);
  // To erase is to erase all of it: that is what the law asks for, and it shows nothing but a number.
  await admin.post("/people", { email: BO, action: "erase", typed: BO });
  await expect(backend.submissions.get(contact.id, ids.contact)).rejects.toThrow();
});

it("shows 100 of a person who wrote more, and the number of all", async () => {
  const { backend, jobs } = await somePeople();
  for (let i = 0; i < 110; i++) await backend.submit(jobs.id, { fields: { email: "many@example.com", n: String(i) } });
  const { text } = await backend.as({}).post("/people", { email: "many@example.com", action: "find" });
  expect(text).toContain("110 submissions with this address");
  expect(text).toContain("10 more are not shown.");
  expect(text.match(/data-submission-id/g)).toHaveLength(100);
});

describe("a submission", () => {
  it("leads to all that came from the same address, unless the page of people is hidden", async () => {
    for (const hide of [[], ["people"]]) {
      const backend = inboxHarness({ hide });
      const { id } = await backend.forms.create({ name: "Contact" });
      const fields = { email: "bea@example.com", message: "Hello" };
      const one = await backend.submit(id, { fields });
      await backend.submit(id, { fields });
      const ann = backend.as({});
      const { text } = await ann.get(`/f/${id}/s/${one.id}`);
      expect(text.includes("All from bea@example.com")).toBe(hide.length === 0);
      if (hide.length > 0) continue;
      const [, action = ""] =
        /action="([^"]*\/people[^"]*)"><input type="hidden" name="email" value="bea/.exec(text) ?? [];
      const found = await ann.post(action, { email: fields.email, action: "find" });
      expect(found.text.match(/<tr data-submission-id/g)).toHaveLength(2);
    }
  });
});

it("shows what came from a person the newest first, and no column of removals where all is kept for good", async () => {
  const backend = inboxHarness({}, { rateLimit: false });
  const form = await backend.forms.create({ name: "Jobs" });
  for (const message of ["First", "Second", "Third"]) {
    await backend.submit(form.id, { fields: { email: BO, message } });
    await backend.clock.advance(60_000);
  }
  const { text } = await backend.as({}).post("/people", { email: BO, action: "find" });
  expect([...text.matchAll(/<bdi class="muted">(\w+)/g)].map(([, said]) => said)).toEqual(["Third", "Second", "First"]);
  expect(text).not.toContain("Kept until somebody deletes it");
});
