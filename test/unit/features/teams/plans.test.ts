import { describe, expect, it } from "vitest";
import type { KeepFor } from "../../../../src/model/form-leaves.ts";
import { harness } from "../../../_support/backend.ts";

const free = async (plan = "free", plans = {}) => {
  const b = harness({ plans });
  await b.teams.create({ id: "acme", name: "Acme", plan });
  const key = await b.keyWith("all", { team_id: "acme" });
  return { b, key };
};

describe("teams", () => {
  it("a default team exists from the first use", async () => {
    const b = harness();
    expect(await b.teams.get("default")).toEqual({
      id: "default",
      name: "Default",
      active: true,
      owner: { email: null, email_verified: true },
      plan: "unlimited",
      base_url: null,
      brand: { name: null, logo_url: null, logo_dark_url: null, primary: null, from: null, support_url: null },
      sender_domains: [],
      limits: { posts_per_second: null, file_bytes: null, stored_submissions: null, keys: null },
      locked: null,
      defaults: {},
      created_at: "2026-01-01T00:00:00.000Z",
    });
  });

  it("are created, changed and listed; a taken id, an unknown plan and an unknown team are named", async () => {
    const b = harness();
    await b.teams.create({ id: "acme", name: "Acme", owner: { email: "o@acme.example", email_verified: false } });
    await expect(b.teams.create({ id: "acme", name: "Again" })).rejects.toMatchObject({
      code: "invalid_parameter",
      param: "id",
    });
    await expect(b.teams.create({ name: "X", plan: "gold" })).rejects.toMatchObject({
      code: "invalid_parameter",
      param: "plan",
    });
    await expect(b.teams.update("acme", { plan: "gold" })).rejects.toMatchObject({ param: "plan" });
    await expect(b.teams.get("nobody")).rejects.toMatchObject({ code: "not_found" });
    const after = await b.teams.update("acme", { owner: { email_verified: true } });
    expect(after.owner).toEqual({ email: "o@acme.example", email_verified: true });
    const unowned = await b.teams.update("acme", { owner: { email: null } });
    expect(unowned.owner).toEqual({ email: null, email_verified: true });
    expect((await b.teams.list()).data.map(({ id }) => id).sort()).toEqual(["acme", "default"]);
  });

  it.each([
    [{ active: false }, "team_inactive"],
    [{ owner: { email_verified: false } }, "owner_unverified"],
    [{ active: false, owner: { email_verified: false } }, "team_inactive"],
  ])("%j answers 403 %s before anything else is looked at", async (patch, code) => {
    const { b, key } = await free();
    await b.teams.update("acme", patch);
    const { status, json } = await b.call("POST", "/v1/forms", { key, body: "not JSON" });
    expect([status, json.error.code, json.error.type]).toEqual([403, code, "permission_error"]);
  });

  it("do not see each other's forms", async () => {
    const { b, key } = await free();
    const form = await b.forms.create({ name: "theirs" });
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const { status, json } = await b.call(method, `/v1/forms/${form.id}`, {
        key,
        ...(method === "PATCH" && { body: { x: 1 } }),
      });
      expect([status, json.error.code]).toEqual([404, "form_not_found"]);
    }
    expect((await b.call("GET", "/v1/forms", { key })).json.data).toEqual([]);
    const other = await b.call("GET", "/v1/forms?team_id=default", { key });
    expect([other.status, other.json.error.param]).toEqual([400, "team_id"]);
    const create = await b.call("POST", "/v1/forms", { key, body: { name: "A", team_id: "default" } });
    expect([create.status, create.json.error.param]).toEqual([400, "team_id"]);
  });
});

describe("the free plan", () => {
  it.each([
    [
      "self_email_notification.recipients",
      { self_email_notification: { recipients: ["a@example.com", "b@example.com"] } },
    ],
    ["self_email_notification.template.html", { self_email_notification: { template: { html: "<p>x</p>" } } }],
    ["self_email_notification.sender.name", { self_email_notification: { sender: { name: "Acme" } } }],
    ["self_email_notification.sender.email", { self_email_notification: { sender: { email: "a@example.com" } } }],
    ["auto_response.template.html", { auto_response: { template: { html: "<p>x</p>" } } }],
  ])("refuses %s, at create and at PATCH, and changes nothing", async (param, patch) => {
    const { b, key } = await free();
    const created = await b.call("POST", "/v1/forms", { key, body: { name: "A", ...patch } });
    expect([created.status, created.json.error.code, created.json.error.param]).toEqual([
      403,
      "plan_restricted",
      param,
    ]);
    const { json: form } = await b.call("POST", "/v1/forms", { key, body: { name: "A" } });
    const patched = await b.call("PATCH", `/v1/forms/${form.id}`, { key, body: { name: "B", ...patch } });
    expect([patched.status, patched.json.error.param]).toEqual([403, param]);
    expect((await b.call("GET", "/v1/forms", { key })).json.data).toEqual([form]);
  });

  it("is asked behind the values: what is wrong is wrong on any plan", async () => {
    const { b, key } = await free();
    const html = { self_email_notification: { template: { html: "<p>x</p>" } } };
    const taken = { ...html, settings: { key: "contact" } };
    await b.forms.create(
      { name: "A", settings: { key: "contact" } },
      { team_id: (await b.call("GET", "/v1/me", { key })).json.workspace.id },
    );
    const { status, json } = await b.call("POST", "/v1/forms", { key, body: { name: "B", ...taken } });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "settings.key"]);
  });

  it("has room for 3 forms, also when 10 are created at once", async () => {
    const { b, key } = await free();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => b.call("POST", "/v1/forms", { key, body: { name: "A" } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403, 403, 403, 403, 403, 403]);
    const refused = answers.find(({ status }) => status === 403);
    expect([refused?.json.error.code, "param" in (refused?.json.error ?? {})]).toEqual(["plan_restricted", false]);
  });

  it("has one webhook per form", async () => {
    const { b } = await free();
    const form = await b.forms.create({ name: "A" }, { team_id: "acme" });
    await b.webhooks.create(form.id, { url: "https://example.com/1" });
    await expect(b.webhooks.create(form.id, { url: "https://example.com/2" })).rejects.toMatchObject({
      code: "plan_restricted",
    });
  });

  it("stores what is beyond 100 submissions a month, and delivers none of it", async () => {
    const { b } = await free();
    const form = await b.forms.create(
      { name: "A", self_email_notification: { recipients: ["me@example.com"] } },
      { team_id: "acme" },
    );
    for (let i = 0; i < 102; i++) {
      // One mailbox gets 60 mails an hour.
      if (i === 50) await b.clock.advance(60 * 60_000);
      await b.submit(form.id, { fields: { i: String(i) } });
    }
    await b.tick();
    expect(b.mails).toHaveLength(100);
    expect((await b.forms.get(form.id)).submissions.all_time).toBe(102);
    expect((await b.jobs.list({ form_id: form.id, status: "skipped" })).map(({ code }) => code)).toEqual([
      "SKIPPED_PLAN_RESTRICTED",
      "SKIPPED_PLAN_RESTRICTED",
    ]);
    await b.clock.advance(31 * 24 * 3600 * 1000);
    await b.submit(form.id, { fields: { i: "next month" } });
    await b.tick();
    expect(b.mails).toHaveLength(101);
  });
});

describe("plans of the host", () => {
  it.each([
    ["captcha", { spam: { captcha: { secret_key: `6L${"a".repeat(38)}` } } }, "spam.captcha.secret_key"],
    ["auto_response", { auto_response: { enabled: true } }, "auto_response.enabled"],
    [
      "redirect",
      { after_submit: { redirect: { success_url: "https://example.com/ok" } } },
      "after_submit.redirect.success_url",
    ],
  ])("without %s refuse it, and take everything else", async (feature, patch, param) => {
    const { b, key } = await free("mine", { mine: { [feature]: false } });
    const { status, json } = await b.call("POST", "/v1/forms", { key, body: { name: "A", ...patch } });
    expect([status, json.error.param]).toEqual([403, param]);
    expect(
      (await b.call("POST", "/v1/forms", { key, body: { name: "A", auto_response: { enabled: false } } })).status,
    ).toBe(201);
  });

  it("raise webhooks_per_form, and without webhooks refuse the first", async () => {
    const { b } = await free("mine", { mine: { webhooks_per_form: 3 }, none: { webhooks: false } });
    const form = await b.forms.create({ name: "A" }, { team_id: "acme" });
    for (let i = 0; i < 3; i++) await b.webhooks.create(form.id, { url: `https://example.com/${i}` });
    await expect(b.webhooks.create(form.id, { url: "https://example.com/3" })).rejects.toMatchObject({
      code: "plan_restricted",
    });
    await b.teams.update("acme", { plan: "none" });
    const other = await b.forms.create({ name: "B" }, { team_id: "acme" });
    await expect(b.webhooks.create(other.id, { url: "https://example.com/" })).rejects.toMatchObject({
      code: "plan_restricted",
    });
  });

  it("bound keep_for by retention_days", async () => {
    const { b } = await free("mine", { mine: { retention_days: 60 } });
    const create = (keep_for: KeepFor) => b.forms.create({ name: "A", storage: { keep_for } }, { team_id: "acme" });
    expect((await create("60_days")).storage.keep_for).toBe("60_days");
    for (const keep of ["61_days", "forever"] as const) {
      await expect(create(keep)).rejects.toMatchObject({ code: "plan_restricted", param: "storage.keep_for" });
    }
  });

  it.each([0, 36_501, 1.5])("refuse retention_days: %d, which no form's keep_for could say", (retention_days) => {
    expect(() => harness({ plans: { mine: { retention_days } } })).toThrow("option `plans.mine.retention_days`");
  });

  it("count an address once, however often a list of recipients has it", async () => {
    const { b, key } = await free();
    const create = (...recipients: string[]) =>
      b.call("POST", "/v1/forms", { key, body: { name: "A", self_email_notification: { recipients } } });
    const { status, json } = await create("ann@example.com", "Ann@Example.com");
    expect([status, json.self_email_notification?.recipients]).toEqual([201, ["ann@example.com"]]);
    expect((await create("ann@example.com", "ben@example.com")).status).toBe(403);
  });

  it("a team on a smaller plan can still change its other settings", async () => {
    const { b } = await free("unlimited");
    const form = await b.forms.create(
      { name: "A", self_email_notification: { sender: { name: "Acme" } } },
      { team_id: "acme" },
    );
    await b.teams.update("acme", { plan: "free" });
    expect((await b.forms.update(form.id, { name: "B" })).name).toBe("B");
  });
});
