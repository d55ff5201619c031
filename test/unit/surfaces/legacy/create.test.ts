import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { parameters } from "../../../../src/surfaces/legacy/schema.ts";
import { type LegacyHarness, leaf, legacyHarness } from "./_legacy.ts";

const RECAPTCHA = `6L${"a".repeat(38)}`;
const html = "<p>{{name}}</p>";

/** Parameters sent → leaves of the form over v1; `before` is what a form without them has. */
const table: [parameter: string, value: unknown, leaves: Record<string, unknown>, beside?: Record<string, unknown>][] =
  [
    ["name", "Müller & Söhne", { name: "Müller & Söhne" }],
    ["email", "ann@example.com", { "self_email_notification.recipients": ["ann@example.com"] }],
    [
      "email",
      " ann@example.com, bob@example.com ,ANN@example.com,",
      { "self_email_notification.recipients": ["ann@example.com", "bob@example.com"] },
    ],
    [
      "returnUrl",
      "https://example.com/done",
      { "after_submit.redirect.success_url": "https://example.com/done", "after_submit.type": "redirect" },
    ],
    [
      "failUrl",
      "https://example.com/oh",
      { "after_submit.redirect.fail_url": "https://example.com/oh", "after_submit.type": "page" },
    ],
    ["returnParams", true, { "after_submit.redirect.append_submission_to_url": true }],
    [
      "googleRecaptcha",
      RECAPTCHA,
      {
        "spam.captcha.secret_key_set": true,
        "spam.captcha.provider": "recaptcha",
        "spam.captcha.secret_key": undefined,
      },
    ],
    [
      "webhook",
      "https://hooks.example.com/in",
      {
        "webhooks.0.url": "https://hooks.example.com/in",
        "webhooks.0.events": ["submission.created"],
        "webhooks.0.enabled": true,
      },
    ],
    ["retention", false, { "storage.store_submissions": false }],
    ["thankYouPage_theme", "Fancy", { "after_submit.page.theme": "fancy", "after_submit.type": "page" }],
    ["thankYouPage_theme", "Formal", { "after_submit.page.theme": "formal" }],
    ["thankYouPage_theme", "Sweet", { "after_submit.page.theme": "sweet" }],
    ["thankYouPage_headline", "Danke", { "after_submit.page.headline": "Danke" }],
    ["thankYouPage_message", "Bis bald.\nGruß", { "after_submit.page.message": "Bis bald.\nGruß" }],
    ["thankYouPage_mode", "Dark", { "after_submit.page.mode": "dark" }],
    ["thankYouPage_mode", "System", { "after_submit.page.mode": "system" }],
    ["thankYouPage_mode", "Light", { "after_submit.page.mode": "light" }],
    ["thankYouPage_returnText", "Zurück", { "after_submit.page.return_button.text": "Zurück" }],
    [
      "thankYouPage_returnUrl",
      "https://example.com/",
      { "after_submit.page.return_button.url": "https://example.com/" },
    ],
    ["thankYouPage_logo", "https://example.com/l.png", { "after_submit.page.logo_url": "" }],
    [
      "selfEmail_theme",
      "Formal",
      { "self_email_notification.template.theme": "formal", "self_email_notification.template.type": "theme" },
    ],
    ["selfEmail_theme", "Fancy", { "self_email_notification.template.theme": "fancy" }],
    [
      "selfEmail_theme",
      "Custom",
      { "self_email_notification.template.type": "custom", "self_email_notification.template.html": html },
      { selfEmail_code: html },
    ],
    ["selfEmail_code", html, { "self_email_notification.template.html": html }],
    [
      "selfEmail_code",
      html,
      { "self_email_notification.template.html": "", "self_email_notification.template.type": "theme" },
      { selfEmail_theme: "Formal" },
    ],
    [
      "selfEmail_from",
      "forms@example.com",
      { "self_email_notification.sender.email": "forms@example.com", "self_email_notification.sender.name": "" },
    ],
    [
      "selfEmail_from",
      "The forms",
      { "self_email_notification.sender.name": "The forms", "self_email_notification.sender.email": "" },
    ],
    [
      "selfEmail_from",
      "The forms <forms@example.com>",
      {
        "self_email_notification.sender.name": "The forms",
        "self_email_notification.sender.email": "forms@example.com",
      },
    ],
    ["selfEmail_subject", "Neu: {{name}}", { "self_email_notification.subject": "Neu: {{name}}" }],
    ["selfEmail_sendOnSpam", true, { "self_email_notification.include_spam": true }],
    ["selfEmail_logo", "https://example.com/l.png", { "self_email_notification.logo_url": "" }],
    ["autoResponse", true, { "auto_response.enabled": true }],
    ["autoResponse_from", "Support", { "auto_response.from_name": "Support", "auto_response.enabled": false }],
    [
      "autoResponse_from",
      "support@example.com",
      { "auto_response.from_name": "", "auto_response.from_email": undefined },
    ],
    ["autoResponse_theme", "Formal", { "auto_response.template.theme": "formal" }],
    ["autoResponse_theme", "Fancy", { "auto_response.template.theme": "fancy" }],
    [
      "autoResponse_theme",
      "Custom",
      { "auto_response.template.type": "custom", "auto_response.template.html": html },
      { autoResponse_code: html },
    ],
    ["autoResponse_subject", "Danke", { "auto_response.subject": "Danke" }],
    ["autoResponse_message", "Wir melden uns.", { "auto_response.template.message": "Wir melden uns." }],
    ["autoResponse_code", html, { "auto_response.template.html": html }],
    ["autoResponse_logo", "https://example.com/l.png", { "auto_response.logo_url": "" }],
  ];

let b: LegacyHarness;
beforeEach(() => {
  b = legacyHarness();
});

describe("a parameter of PUT /api/form", () => {
  it.each(table)("%s = %j sets its leaves as v1 reads them", async (parameter, value, leaves, beside = {}) => {
    const form = await b.form(await b.made({ ...beside, [parameter]: value }));
    for (const [path, expected] of Object.entries(leaves)) expect([path, leaf(form, path)]).toEqual([path, expected]);
  });

  it.each(table)("%s = %j does the same urlencoded", async (parameter, value, leaves, beside = {}) => {
    const body = new URLSearchParams({ name: "Contact", ...beside, [parameter]: String(value) } as Record<
      string,
      string
    >);
    const { status, json } = await b.legacy("PUT", "/api/form", { body });
    expect([status, json.message]).toEqual([200, "Your form was created."]);
    const form = await b.form(json.formUrl.split("/").at(-1));
    for (const [path, expected] of Object.entries(leaves)) expect([path, leaf(form, path)]).toEqual([path, expected]);
  });

  it("is in the table above, and the other way round", () => {
    expect([...new Set(table.map(([parameter]) => parameter))].sort()).toEqual(Object.keys(parameters).sort());
  });

  it("is in the table of docs/api/legacy.md with its v1 field", () => {
    const rows = readFileSync("docs/api/legacy.md", "utf8").matchAll(/^\| `(\w+)` \|[^|]*\| ([^|]*) \|/gm);
    const documented = [...rows].map(([, name, fields = ""]) => [
      name,
      [...fields.matchAll(/`([\w.]+)`/g)].map(([, path]) => path),
    ]);
    const paths = Object.entries(parameters).map(([name, { sets }]) => [name, [...sets]]);
    expect(documented).toEqual(paths);
  });
});

describe("a form created with its name alone", () => {
  it("has the defaults of a form created over v1", async () => {
    const form = await b.form(await b.made({ unknown: 1, campaign: ["old"], list: "x" }));
    const { json: twin } = await b.call("POST", "/v1/forms", { body: { name: "Contact" } });
    const same = { id: 0, endpoint: 0, avatar: 0, created_at: 0 };
    expect({ ...form, ...same }).toEqual({ ...twin, ...same });
  });

  it("answers exactly the documented members", async () => {
    const { json } = await b.legacy("PUT", "/api/form", { body: { name: "Contact" } });
    const [form] = (await b.forms.list({})).data;
    expect(json).toEqual({
      code: 200,
      title: "Created a new form",
      message: "Your form was created.",
      type: "success",
      formUrl: form?.endpoint,
    });
  });

  it("takes what is empty as not sent", async () => {
    const empty = Object.fromEntries(Object.keys(parameters).map((name) => [name, ""]));
    const body = new URLSearchParams({ ...empty, name: "Contact", returnUrl: "https://example.com/done" });
    const { status, json } = await b.legacy("PUT", "/api/form", { body });
    expect([status, json.type]).toEqual([200, "success"]);
  });
});

/** What is refused with 400, and the parameter that the message names. */
const refused: [what: string, sent: Record<string, unknown>, named: string][] = [
  ["no name", { name: undefined }, "name"],
  ["an empty name", { name: "" }, "name"],
  ["a name of null", { name: null }, "name"],
  ["a long name", { name: "x".repeat(129) }, "name"],
  ["a name of two lines", { name: "a\nb" }, "name"],
  ["a number as name", { name: 5 }, "name"],
  ["an address that is none", { email: "ann@example.com,nobody" }, "email"],
  ["a list of addresses", { email: ["ann@example.com"] }, "email"],
  ["51 addresses", { email: Array.from({ length: 51 }, (_, i) => `a${i}@example.com`).join(",") }, "email"],
  ["a relative returnUrl", { returnUrl: "/done" }, "returnUrl"],
  ["a script as returnUrl", { returnUrl: "javascript:alert(1)" }, "returnUrl"],
  ["a script as failUrl", { failUrl: "javascript:alert(1)" }, "failUrl"],
  ["a word as boolean", { returnParams: "yes" }, "returnParams"],
  ["a number as boolean", { retention: 0 }, "retention"],
  ["an upper-case boolean", { autoResponse: "TRUE" }, "autoResponse"],
  ["a boolean list", { selfEmail_sendOnSpam: [true] }, "selfEmail_sendOnSpam"],
  ["a captcha key that is none", { googleRecaptcha: "wrong" }, "googleRecaptcha"],
  ["a webhook that is no URL", { webhook: "hook" }, "webhook"],
  ["a webhook to this machine", { webhook: "https://127.0.0.1/x" }, "webhook"],
  ["a webhook over plain http", { webhook: "http://example.com/x" }, "webhook"],
  ["a page theme of nobody", { thankYouPage_theme: "Neon" }, "thankYouPage_theme"],
  ["a page theme of mail", { thankYouPage_theme: "Custom" }, "thankYouPage_theme"],
  ["a theme out of the prototype", { thankYouPage_theme: "constructor" }, "thankYouPage_theme"],
  ["a mode of nobody", { thankYouPage_mode: "Dusk" }, "thankYouPage_mode"],
  ["a mail theme of pages", { selfEmail_theme: "Sweet" }, "selfEmail_theme"],
  ["a reply theme of nobody", { autoResponse_theme: "fancy!" }, "autoResponse_theme"],
  ["Custom without code", { selfEmail_theme: "Custom" }, "selfEmail_code"],
  ["a Custom reply without code", { autoResponse_theme: "Custom" }, "autoResponse_code"],
  ["code over 200 KB", { selfEmail_code: "x".repeat(200 * 1024 + 1) }, "selfEmail_code"],
  ["a subject of two lines", { selfEmail_subject: "a\r\nBcc: x@example.com" }, "selfEmail_subject"],
  ["a sender of two lines", { selfEmail_from: "a\r\nBcc: x@example.com" }, "selfEmail_from"],
  ["a reply's sender of two lines", { autoResponse_from: "a\nb" }, "autoResponse_from"],
  ["a long message", { autoResponse_message: "x".repeat(10_001) }, "autoResponse_message"],
  ["a return button to a script", { thankYouPage_returnUrl: "javascript:x" }, "thankYouPage_returnUrl"],
  ...Object.keys(parameters)
    .filter((name) => name.startsWith("thankYouPage_"))
    .map((name): [string, Record<string, unknown>, string] => {
      const value = { thankYouPage_theme: "Fancy", thankYouPage_mode: "Dark" }[name] ?? "https://example.com/";
      return [`returnUrl with ${name}`, { returnUrl: "https://example.com/", [name]: value }, name];
    }),
];

describe("PUT /api/form refuses", () => {
  it.each(refused)("%s", async (_, sent, named) => {
    const { status, json } = await b.legacy("PUT", "/api/form", { body: { name: "Contact", ...sent } });
    expect(json).toEqual({
      code: 400,
      title: "Invalid request",
      message: expect.stringContaining(`\`${named}\``),
      type: "error",
    });
    expect(status).toBe(400);
    // The message speaks of the legacy parameter, never of the v1 field behind it; options are named.
    expect(json.message).not.toMatch(/self_email|auto_response|after_submit|captcha\.|webhooks(?!\.allow)|`url`/);
    expect((await b.forms.list({})).data).toEqual([]);
  });

  it("a body that is no JSON object, or of another type", async () => {
    const statuses = [];
    for (const [body, type] of [
      ["{", "application/json"],
      ["[]", "application/json"],
      ['"name"', "application/json"],
      ["", "application/json"],
      ["name=A&name=B", "application/x-www-form-urlencoded"],
      ["", "text/plain"],
      ["name=A", "text/plain"],
      ["name=A", "multipart/form-data; boundary=x"],
      [`{"name":"${"x".repeat(1024 * 1024)}"}`, "application/json"],
    ] as const) {
      const { status, json } = await b.legacy("PUT", "/api/form", { body, headers: { "content-type": type } });
      expect(json).toEqual({ code: status, title: expect.any(String), message: expect.any(String), type: "error" });
      statuses.push(status);
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 415, 415, 413]);
    expect((await b.forms.list({})).data).toEqual([]);
  });

  const free: [what: string, sent: Record<string, unknown>, named: string][] = [
    ["two addresses", { email: "a@example.com,b@example.com" }, "email"],
    ["a template", { selfEmail_theme: "Custom", selfEmail_code: html }, "selfEmail_code"],
    ["a sender's name", { selfEmail_from: "Forms" }, "selfEmail_from"],
    ["a sender's address", { selfEmail_from: "forms@example.com" }, "selfEmail_from"],
    ["a reply's address", { autoResponse_from: "forms@example.com" }, "autoResponse_from"],
  ];
  it.each(free)("%s on the free plan, with 403", async (_, sent, named) => {
    await b.teams.update("default", { plan: "free" });
    const { status, json } = await b.legacy("PUT", "/api/form", { body: { name: "Contact", ...sent } });
    expect([status, json.code, json.title]).toEqual([403, 403, "Not allowed"]);
    expect(json.message).toContain(`\`${named}\``);
    expect((await b.forms.list({})).data).toEqual([]);
  });

  it("a webhook that the plan lacks, and leaves no form behind", async () => {
    b = legacyHarness({ plans: { bare: { webhooks: false } } });
    await b.teams.update("default", { plan: "bare" });
    const { status, json } = await b.legacy("PUT", "/api/form", {
      body: { name: "A", webhook: "https://example.com/x" },
    });
    expect([status, json.message]).toEqual([403, "The team's plan does not include webhooks."]);
    expect((await b.forms.list({})).data).toEqual([]);
  });

  it("the form beyond the plan's number", async () => {
    await b.teams.update("default", { plan: "free" });
    for (const name of ["A", "B", "C"]) await b.made({ name });
    const { status, json } = await b.legacy("PUT", "/api/form", { body: { name: "D" } });
    expect([status, json.code, json.type]).toEqual([403, 403, "error"]);
  });
});
