import { describe, expect, it } from "vitest";
import { harness } from "../../../_support/backend.ts";

describe("create a form", () => {
  it("answers 201 with every default of the contract", async () => {
    const b = harness();
    const { status, json } = await b.call("POST", "/v1/forms", { body: { name: "Contact" } });
    expect(status).toBe(201);
    expect(json.id).toMatch(/^[0-9A-Za-z]{11}$/);
    expect(json).toEqual({
      id: json.id,
      team_id: "default",
      name: "Contact",
      endpoint: `http://localhost:3000/forms/f/${json.id}`,
      active: true,
      avatar: expect.stringMatching(/^\p{Emoji}/u),
      folder_id: null,
      created_at: "2026-01-01T00:00:00.000Z",
      last_submission_at: null,
      submissions: { this_month: 0, all_time: 0 },
      storage: { store_submissions: true, keep_for: "forever" },
      spam: { protection: true, captcha: { provider: "none", secret_key_set: false } },
      self_email_notification: {
        enabled: true,
        recipients: [],
        include_spam: false,
        subject: "New submission: {{form.name}}",
        logo_url: "",
        logo_height: 48,
        template: { type: "theme", theme: "fancy", html: "" },
        sender: { type: "default", server_id: "", name: "", email: "" },
      },
      auto_response: {
        enabled: false,
        subject: "Thank you for your message",
        from_name: "",
        logo_url: "",
        logo_height: 48,
        template: {
          type: "theme",
          theme: "fancy",
          message: "Thank you. We received your message and will get back to you.",
          html: "",
        },
      },
      after_submit: {
        type: "page",
        page: {
          theme: "formal",
          mode: "light",
          headline: "Thank you!",
          message: "Your submission has been received.",
          logo_url: "",
          logo_dark_url: "",
          logo_size: "medium",
          primary_color: "#2563eb",
          secondary_color: "#ffffff",
          return_button: { text: "Return", url: "" },
          download_button: { text: "", url: "" },
        },
        redirect: { success_url: "", fail_url: "", append_submission_to_url: false },
      },
      webhooks: [],
      validation: { enabled: true, rules: [] },
    });
  });

  it("notifies the team owner's address by default where it is known", async () => {
    const b = harness();
    await b.teams.create({ id: "acme", name: "Acme", owner: { email: "owner@acme.example", email_verified: true } });
    const form = await b.forms.create({ name: "A" }, { team_id: "acme" });
    expect(form.self_email_notification.recipients).toEqual(["owner@acme.example"]);
  });

  it("keeps for the plan's retention by default", async () => {
    const b = harness();
    await b.teams.create({ id: "acme", name: "Acme", plan: "free" });
    expect((await b.forms.create({ name: "A" }, { team_id: "acme" })).storage.keep_for).toBe("30_days");
  });

  it("says the same in process as over HTTP", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    const { settings, ...form } = await b.forms.get(id);
    expect((await b.call("GET", `/v1/forms/${id}`)).json).toEqual(form);
    expect((await b.call("GET", `/v1/forms/${id}/settings`)).json).toEqual(settings);
  });
});

describe("derived members", () => {
  const cases = [
    [
      "self_email_notification.template.type",
      { self_email_notification: { template: { html: "<p>{{name}}</p>" } } },
      "custom",
    ],
    ["auto_response.template.type", { auto_response: { template: { html: "<p>hi</p>" } } }, "custom"],
    ["after_submit.type", { after_submit: { redirect: { success_url: "https://example.com/ok" } } }, "redirect"],
    ["spam.captcha.provider", { spam: { captcha: { secret_key: `6L${"a".repeat(38)}` } } }, "recaptcha"],
    ["spam.captcha.provider", { spam: { captcha: { secret_key: `ES_${"0a".repeat(16)}` } } }, "hcaptcha"],
    ["spam.captcha.provider", { spam: { captcha: { secret_key: `0x${"0A".repeat(20)}` } } }, "hcaptcha"],
    ["spam.captcha.provider", { spam: { captcha: { secret_key: "0x4AAAAAAA0123456789abcdefghij" } } }, "turnstile"],
    [
      "spam.captcha.provider",
      { spam: { captcha: { secret_key: "1x0000000000000000000000000000000AA" } } },
      "turnstile",
    ],
    ["spam.captcha.provider", { spam: { captcha: { secret_key: "altcha_0123456789abcdef0123" } } }, "altcha"],
    ["spam.captcha.secret_key_set", { spam: { captcha: { secret_key: `6L${"a".repeat(38)}` } } }, true],
  ] as const;
  it.each(cases)("%s follows %j", async (path, patch, expected) => {
    const b = harness();
    const { json } = await b.call("POST", "/v1/forms", { body: { name: "A", ...patch } });
    expect(path.split(".").reduce((value, key) => value[key], json)).toBe(expected);
  });

  it("never answers the captcha secret, and forgets it on an empty one", async () => {
    const b = harness();
    const secret_key = `6L${"a".repeat(38)}`;
    const { json, text } = await b.call("POST", "/v1/forms", {
      body: { name: "A", spam: { captcha: { secret_key } } },
    });
    expect(text).not.toContain(secret_key);
    const cleared = await b.call("PATCH", `/v1/forms/${json.id}`, { body: { spam: { captcha: { secret_key: "" } } } });
    expect(cleared.json.spam.captcha).toEqual({ provider: "none", secret_key_set: false });
  });
});

describe("update a form", () => {
  it("changes only the leaves that are sent, and replaces lists", async () => {
    const b = harness();
    const rules = [{ field: "email", checks: [{ type: "required" as const }, { type: "email" as const }] }];
    const { settings: _, ...form } = await b.forms.create({
      name: "A",
      self_email_notification: { recipients: ["a@example.com", "b@example.com"], subject: "S" },
      validation: { rules },
    });
    const { status, json } = await b.call("PATCH", `/v1/forms/${form.id}`, {
      body: {
        after_submit: { page: { headline: "Danke" } },
        self_email_notification: { recipients: ["c@example.com"] },
        validation: { rules: [] },
      },
    });
    expect(status).toBe(200);
    expect(json).toEqual({
      ...form,
      after_submit: { ...form.after_submit, page: { ...form.after_submit.page, headline: "Danke" } },
      self_email_notification: { ...form.self_email_notification, recipients: ["c@example.com"] },
      validation: { ...form.validation, rules: [] },
    });
  });

  it("takes an empty body and changes nothing", async () => {
    const b = harness();
    const { settings, ...form } = await b.forms.create({ name: "A" });
    expect((await b.call("PATCH", `/v1/forms/${form.id}`, { body: {} })).json).toEqual(form);
    expect((await b.forms.get(form.id)).settings).toEqual(settings);
  });

  it("takes null for folder_id and for nothing else", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A", folder_id: "f" });
    expect((await b.call("PATCH", `/v1/forms/${form.id}`, { body: { folder_id: null } })).json.folder_id).toBeNull();
    for (const leaf of ["name", "active", "storage", "spam", "self_email_notification", "after_submit", "validation"]) {
      const { status, json } = await b.call("PATCH", `/v1/forms/${form.id}`, { body: { [leaf]: null } });
      expect([status, json.error.param]).toEqual([400, leaf]);
    }
  });

  it("loses no leaf when 50 updates of different leaves run at once", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const patches = [
      { name: "B" },
      { active: false },
      { folder_id: "f" },
      { spam: { protection: false } },
      { storage: { store_submissions: false } },
      { auto_response: { subject: "S" } },
      { self_email_notification: { subject: "T" } },
      { after_submit: { page: { headline: "H" } } },
      { after_submit: { page: { message: "M" } } },
      { validation: { enabled: false } },
    ];
    await Promise.all(Array.from({ length: 50 }, (_, i) => b.forms.update(form.id, patches[i % patches.length] ?? {})));
    const after = await b.forms.get(form.id);
    expect(after).toMatchObject(patches.reduce((all, patch) => deepMerge(all, patch), {}));
  });

  it("sees a PATCH of active at the endpoint at once", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    expect((await b.post(form.id, "a=1")).status).toBe(200);
    await b.call("PATCH", `/v1/forms/${form.id}`, { body: { active: false } });
    expect((await b.post(form.id, { a: "1" })).json.error.code).toBe("form_inactive");
    await b.call("PATCH", `/v1/forms/${form.id}`, { body: { active: true } });
    expect((await b.post(form.id, "a=1")).status).toBe(200);
  });
});

describe("list forms", () => {
  it("is newest first, in pages that a cursor joins", async () => {
    const b = harness();
    const names: string[] = [];
    for (let i = 0; i < 7; i++) {
      await b.forms.create({ name: `F${i}` });
      await b.clock.advance(1);
    }
    let path = "/v1/forms?limit=3";
    for (let page = 0; page < 3; page++) {
      const { json } = await b.call("GET", path);
      names.push(...json.data.map((form: { name: string }) => form.name));
      expect(json.has_more).toBe(page < 2);
      if (page < 2) path = `/v1/forms?limit=3&cursor=${json.next_cursor}`;
      else expect(json.next_cursor).toBeNull();
    }
    expect(names).toEqual(["F6", "F5", "F4", "F3", "F2", "F1", "F0"]);
  });

  it("is newest first also where forms are created faster than the clock goes", async () => {
    const b = harness();
    const ids: string[] = [];
    for (let i = 0; i < 10; i++) ids.unshift((await b.call("POST", "/v1/forms", { body: { name: `F${i}` } })).json.id);
    expect((await b.call("GET", "/v1/forms")).json.data.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  it("keeps its place when the form that the cursor was taken at is deleted", async () => {
    const b = harness();
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) {
      ids.unshift((await b.forms.create({ name: `F${i}` })).id);
      await b.clock.advance(1);
    }
    const first = await b.forms.list({ limit: 2 });
    await b.forms.delete(ids[1] ?? "");
    const second = await b.forms.list({ limit: 2, cursor: first.next_cursor ?? "" });
    expect(second.data.map(({ id }) => id)).toEqual(ids.slice(2));
  });

  it.each([
    [{ limit: 0 }, "limit"],
    [{ limit: 101 }, "limit"],
    [{ cursor: 1 }, "cursor"],
    [{ teamId: "default" }, "teamId"],
  ])("refuses %j in process too", async (query, param) => {
    await expect(harness().forms.list(query as never)).rejects.toMatchObject({ code: "invalid_parameter", param });
  });

  it.each(["x", "x.y", "eyJ9.AAAA"])("refuses the cursor %s", async (cursor) => {
    const { status, json } = await harness().call("GET", `/v1/forms?cursor=${cursor}`);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "cursor"]);
  });

  it("refuses a cursor of another query", async () => {
    const b = harness();
    for (let i = 0; i < 3; i++) await b.forms.create({ name: "A" });
    const { json } = await b.call("GET", "/v1/forms?limit=1");
    const other = await b.call("GET", `/v1/forms?limit=1&team_id=default&cursor=${json.next_cursor}`);
    expect([other.status, other.json.error.param]).toEqual([400, "cursor"]);
  });

  it("merges the teams of a caller and pages over them", async () => {
    const b = harness();
    for (const id of ["one", "two"]) await b.teams.create({ id, name: id });
    for (let i = 0; i < 6; i++) {
      await b.forms.create({ name: `F${i}` }, { team_id: i % 2 ? "one" : "two" });
      await b.clock.advance(1);
    }
    await b.forms.create({ name: "elsewhere" });
    const all = await b.forms.list({});
    expect(all.data).toHaveLength(7);
    expect((await b.forms.list({ team_id: "one" })).data.map(({ name }) => name)).toEqual(["F5", "F3", "F1"]);
  });
});

describe("delete a form", () => {
  it("answers FormDeleted once, and form_not_found afterwards everywhere", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    expect((await b.call("DELETE", `/v1/forms/${id}`)).json).toEqual({ id, deleted: true });
    for (const method of ["DELETE", "GET"]) {
      const { status, json } = await b.call(method, `/v1/forms/${id}`);
      expect([status, json.error.code]).toEqual([404, "form_not_found"]);
    }
    expect((await b.post(id, { a: "1" })).json.error.code).toBe("form_not_found");
  });
});

function deepMerge(a: Record<string, unknown>, b: Record<string, unknown>): Record<string, unknown> {
  const out = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = out[key];
    out[key] = isObject(before) && isObject(value) ? deepMerge(before, value) : value;
  }
  return out;
}
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
