import { describe, expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

describe("a locked team", () => {
  it("takes no posts on any of its forms, and its keys can't undo it", async () => {
    const b = harness();
    await b.teams.create({ id: "acme", name: "Acme" });
    const key = await b.keyWith("all", { team_id: "acme" });
    const { id } = await b.forms.create({ name: "F", auto_response: { enabled: true } }, { team_id: "acme" });
    const other = await b.forms.create({ name: "Other" });
    await b.submit(id, { fields: { email: "ann@example.com" } });
    expect(await b.teams.update("acme", { locked: { reason: "Unpaid" } })).toMatchObject({
      active: true,
      locked: { reason: "Unpaid" },
    });
    expect((await b.post(id, { a: "b" })).json.error.code).toBe("form_locked");
    expect((await b.call("PATCH", `/v1/forms/${id}`, { key, body: { active: true } })).status).toBe(200);
    expect((await b.post(id, { a: "b" })).json.error.code).toBe("form_locked");
    expect((await b.post(other.id, { a: "b" })).status).toBe(200);
    await b.tick();
    const [reply] = await b.jobs.list({ form_id: id, kind: "auto_response" });
    expect(reply?.code).toBe("SKIPPED_FORM_LOCKED");
    // What it has stays readable.
    expect((await b.call("GET", `/v1/forms/${id}/submissions`, { key })).json.data).toHaveLength(1);
    await b.teams.update("acme", { name: "Acme Ltd" });
    expect((await b.teams.get("acme")).locked).toEqual({ reason: "Unpaid" });
    await b.teams.update("acme", { locked: null });
    expect((await b.post(id, { a: "b" })).status).toBe(200);
  });

  it("needs a reason", async () => {
    const b = harness();
    await b.teams.create({ id: "acme", name: "Acme" });
    await expect(b.teams.update("acme", { locked: { reason: "" } })).rejects.toMatchObject({ param: "locked.reason" });
  });
});

describe("the defaults of a team", () => {
  const defaults = {
    after_submit: { page: { headline: "Bakery thanks you" } },
    storage: { keep_for: "90_days" as const },
    settings: { language: "auto", labels: { msg: "Your message" }, fields: { iban: { email: "mask" as const } } },
  };

  it("are what new forms have where their input says nothing else, over HTTP and in process", async () => {
    const b = harness();
    await b.teams.create({ id: "acme", name: "Acme", defaults });
    const key = await b.keyWith("all", { team_id: "acme" });
    const plain = await b.forms.create({ name: "Plain" }, { team_id: "acme" });
    expect(plain).toMatchObject({
      storage: { keep_for: "90_days" },
      after_submit: { page: { headline: "Bakery thanks you" } },
      settings: { labels: { msg: "Your message" }, fields: { iban: { email: "mask" } } },
    });
    const own = { after_submit: { page: { headline: "Own" } }, settings: { labels: { name: "Name" } } };
    const mixed = await b.forms.create({ name: "Mixed", ...own }, { team_id: "acme" });
    expect(mixed.after_submit.page.headline).toBe("Own");
    expect(mixed.settings.labels).toEqual({ msg: "Your message", name: "Name" });
    const { json } = await b.call("POST", "/v1/forms", { key, body: { name: "Over HTTP" } });
    expect(json.after_submit.page.headline).toBe("Bakery thanks you");
    expect((await b.forms.create({ name: "Elsewhere" })).after_submit.page.headline).toBe("Thank you!");
    // A form that is there stays as it is.
    await b.teams.update("acme", { defaults: {} });
    expect((await b.forms.get(plain.id)).storage.keep_for).toBe("90_days");
    expect((await b.forms.create({ name: "Later" }, { team_id: "acme" })).storage.keep_for).toBe("forever");
  });

  it("are checked when they are set, and name the member that is wrong", async () => {
    const b = harness();
    await b.teams.create({ id: "acme", name: "Acme" });
    const refused = (value: object) => expect(b.teams.update("acme", { defaults: value })).rejects;
    await refused({ storage: { keep_for: "soon" } }).toMatchObject({ param: "defaults.storage.keep_for" });
    await refused({ nmae: "x" }).toMatchObject({ code: "invalid_parameter" });
    await refused({ settings: { key: "contact" } }).toMatchObject({ param: "defaults" });
  });

  it("give no form a sender that its team may not use", async () => {
    const b = harness({ from: "Forms <forms@host.example>" });
    const sender = { self_email_notification: { sender: { email: "boss@elsewhere.example" } } };
    await b.teams.create({ id: "acme", name: "Acme", defaults: sender });
    await expect(b.forms.create({ name: "F" }, { team_id: "acme" })).rejects.toMatchObject({
      param: "self_email_notification.sender.email",
    });
  });
});
