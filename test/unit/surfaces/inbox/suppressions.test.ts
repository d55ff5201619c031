import { describe, expect, it } from "vitest";
import { ann, inboxHarness } from "./_inbox.ts";

async function world() {
  const backend = inboxHarness({}, { rateLimit: false });
  const form = await backend.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["owner@acme.test", "second@acme.test"] },
  });
  await backend.suppressions.add({ email: "bo@example.com" });
  return { backend, form, person: backend.as(ann) };
}

describe("the suppressed addresses of a team", () => {
  it("are listed, found and removed after a question, with no address in an address bar", async () => {
    const { backend, person } = await world();
    await backend.suppressions.add({ email: "cy@example.com" });
    const { text } = await person.get("/suppressions");
    expect(text).toContain("bo@example.com");
    expect(text).toContain("Added by a person");
    expect(text).not.toMatch(/href="[^"]*(bo@|bo%40)/);
    const found = await person.post("/suppressions", { email: "BO@example.com", action: "find" });
    expect(found.text).toContain('<bdi class="whole">bo@example.com</bdi>');
    expect(found.text).not.toContain("cy@example.com</bdi>");
    const none = await person.post("/suppressions", { email: "no@example.com", action: "find" });
    expect(none.text).toContain("This address is not suppressed");
    const question = await person.post("/suppressions", { email: "bo@example.com", action: "ask" });
    expect(question.text).toContain("Send to bo@example.com again?");
    expect((await backend.suppressions.list({ email: "bo@example.com" })).data).toHaveLength(1);
    const removed = await person.post("/suppressions", { email: "bo@example.com", action: "remove" });
    expect(removed.headers.get("location")).not.toContain("example.com");
    expect((await person.get("/suppressions")).text).toContain("The address gets mail again.");
    expect((await backend.suppressions.list({ email: "bo@example.com" })).data).toEqual([]);
    expect((await person.get("/audit")).text).toContain("Sends to an address again");
    const late = await person.post("/suppressions", { email: "bo@example.com", action: "remove" });
    expect(late.text).toContain("This address is not suppressed");
    const wrong = await person.post("/suppressions", { email: "nobody", action: "find" });
    expect([wrong.status, wrong.text.includes('value="nobody"')]).toEqual([400, true]);
  });

  it("come in pages", async () => {
    const { backend, person } = await world();
    for (let n = 0; n < 60; n++) {
      await backend.suppressions.add({ email: `person${n}@example.com` });
      await backend.clock.advance(1_000);
    }
    const first = (await person.get("/suppressions")).text;
    expect(first).toContain("person59@example.com");
    expect(first).not.toContain("bo@example.com");
    const next = /rel="next" href="[^"]*\/inbox([^"]+)"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect((await person.get(next)).text).toContain("bo@example.com");
  });

  it("are for administrators of the whole team, and of their own", async () => {
    const { backend, form } = await world();
    await backend.teams.create({ id: "other", name: "Other" });
    await backend.suppressions.add({ email: "secret@example.com", team_id: "other" });
    for (const user of [{ role: "editor" as const }, { form_ids: [form.id] }]) {
      expect((await backend.as(user).get("/suppressions")).status).toBe(403);
      const post = { email: "bo@example.com", action: "remove" };
      expect((await backend.as(user).post("/suppressions", post)).status).toBe(403);
    }
    const person = backend.as(ann);
    for (const action of ["find", "ask", "remove"]) {
      const { status, text } = await person.post("/suppressions?team=other", { email: "secret@example.com", action });
      expect(status, action).toBe(404);
      expect(text).not.toContain("Called");
    }
    expect((await backend.suppressions.list({ team_id: "other" })).data).toHaveLength(1);
  });
});

describe("a recipient who gets no mail", () => {
  it("is named above the form's list and its settings", async () => {
    const { backend, form, person } = await world();
    const said = "No notifications reach owner@acme.test";
    expect((await person.get(`/f/${form.id}`)).text).not.toContain("No notifications reach");
    await backend.suppressions.add({ email: "Owner@acme.test" });
    for (const path of [`/f/${form.id}`, `/f/${form.id}/settings/notification`]) {
      const { text } = await person.get(path);
      expect(text).toContain(said);
      expect(text).toContain("/suppressions?team=default");
      const viewer = (await backend.as({ role: "viewer" }).get(path)).text;
      expect(viewer).toContain(said);
      expect(viewer).not.toContain("/suppressions?");
    }
  });
});
