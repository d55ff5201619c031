import { RE2JS } from "re2js";
import { describe, expect, it, vi } from "vitest";
import { harness } from "../../../_support/backend.ts";

/** `a.b.c` and a value as a nested object. */
const at = (path: string, value: unknown): Record<string, unknown> =>
  path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Record<string, unknown>;

const long = (length: number): string => "x".repeat(length);

/** Leaf → a value that is refused, with the name of the table's line where one bounds it. */
const refused: [path: string, value: unknown, param?: string][] = [
  ["name", ""],
  ["name", long(129)],
  ["name", 5],
  ["name", "two\nlines"],
  ["active", "true"],
  ["folder_id", long(65)],
  ["storage.store_submissions", 1],
  ["spam.protection", "yes"],
  ["spam.captcha.secret_key", "not a secret"],
  ["spam.captcha.secret_key", long(501)],
  ["self_email_notification.enabled", "on"],
  ["self_email_notification.recipients", "a@example.com"],
  ["self_email_notification.recipients", ["nobody"], "self_email_notification.recipients.0"],
  [
    "self_email_notification.recipients",
    ["a@example.com", "b@example.com,c@example.com"],
    "self_email_notification.recipients.1",
  ],
  [
    "self_email_notification.recipients",
    ["a@example.com\r\nBcc: x@example.com"],
    "self_email_notification.recipients.0",
  ],
  ["self_email_notification.recipients", Array.from({ length: 51 }, (_, i) => `a${i}@example.com`)],
  ["self_email_notification.subject", long(301)],
  ["self_email_notification.subject", "a\r\nBcc: x"],
  ["self_email_notification.logo_url", "javascript:alert(1)"],
  ["self_email_notification.logo_url", "/relative"],
  ["self_email_notification.logo_url", `https://example.com/${long(2048)}`],
  ["self_email_notification.logo_height", "48"],
  ["self_email_notification.logo_height", 0],
  ["self_email_notification.template.html", long(200 * 1024 + 1)],
  ["self_email_notification.sender.email", "nobody"],
  ["self_email_notification.sender.server_id", "srv_of_another_team"],
  ["auto_response.subject", "a\nb"],
  ["auto_response.template.message", long(10_001)],
  ["after_submit.page.theme", "loud"],
  ["after_submit.page.mode", "Dark"],
  ["after_submit.page.logo_size", "huge"],
  ["after_submit.page.primary_color", "red"],
  ["after_submit.page.primary_color", "#12345"],
  ["after_submit.page.secondary_color", "#ggg"],
  ["after_submit.page.return_button.url", "ftp://example.com"],
  ["after_submit.redirect.success_url", "example.com"],
  ["after_submit.redirect.fail_url", "data:text/html,x"],
  ["after_submit.redirect.append_submission_to_url", 1],
  ["validation.rules", {}],
  ["validation.rules", Array.from({ length: 101 }, () => ({ field: "a", checks: [] }))],
  [
    "validation.rules",
    [{ field: "a", checks: Array.from({ length: 11 }, () => ({ type: "required" })) }],
    "validation.rules.0.checks",
  ],
  ["validation.rules", [{ field: "a", checks: [{ type: "nope" }] }], "validation.rules.0.checks.0.type"],
  ["validation.rules", [{ field: "a", checks: [{}] }], "validation.rules.0.checks.0.type"],
  [
    "validation.rules",
    [{ field: "a", checks: [{ type: "required", value: "x" }] }],
    "validation.rules.0.checks.0.value",
  ],
  [
    "validation.rules",
    [{ field: "a", checks: [{ type: "required" }, { type: "min_length" }] }],
    "validation.rules.0.checks.1.value",
  ],
  ["validation.rules", [{ field: "a", checks: [{ type: "min", value: "ten" }] }], "validation.rules.0.checks.0.value"],
  [
    "validation.rules",
    [{ field: "a", checks: [{ type: "pattern", value: "(?=x)" }] }],
    "validation.rules.0.checks.0.value",
  ],
  [
    "validation.rules",
    [{ field: "a", checks: [{ type: "pattern", value: "(a)\\1" }] }],
    "validation.rules.0.checks.0.value",
  ],
  [
    "validation.rules",
    [{ field: "a", checks: [{ type: "pattern", value: "^(a|b)*a(a|b){200}$" }] }],
    "validation.rules.0.checks.0.value",
  ],
  ["validation.rules", [{ field: "a", checks: [], extra: 1 }], "validation.rules.0.extra"],
  ["validation.rules", [{ field: "", checks: [] }], "validation.rules.0.field"],
];

/** Read-only over the API, though the host may set some of them in process. */
const readOnly: [path: string, value: unknown][] = [
  ["id", "x"],
  ["endpoint", "https://example.com"],
  ["avatar", "🎉"],
  ["created_at", "2026-01-01T00:00:00.000Z"],
  ["last_submission_at", null],
  ["submissions", { all_time: 0 }],
  ["webhooks", []],
  ["unknown", 1],
  ["constructor", {}],
  ["allowed_origins", []],
  ["storage.keep_for", "7_days"],
  ["spam.require_token", true],
  ["spam.captcha.provider", "none"],
  ["spam.captcha.secret_key_set", false],
  ["self_email_notification.template.type", "theme"],
  ["self_email_notification.template.theme", "formal"],
  ["self_email_notification.sender.type", "default"],
  ["auto_response.template.type", "theme"],
  ["auto_response.template.theme", "formal"],
  ["after_submit.type", "page"],
  ["after_submit.page.nope", 1],
];

describe.each(["POST", "PATCH"])("%s refuses", (method) => {
  it.each(refused)("%s = %j", async (path, value, param = path) => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const { status, json } = await send(b, method, form.id, at(path, value));
    expect([status, json.error.code, json.error.param, json.error.type]).toEqual([
      400,
      "invalid_parameter",
      param,
      "invalid_request_error",
    ]);
    expect(json.error.message).toMatch(/^`.+\.$/s);
    expect((await b.forms.list({})).data).toEqual([form]);
  });

  it.each(readOnly)("the read-only or unknown %s", async (path, value) => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const { status, json } = await send(b, method, form.id, at(path, value));
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", path]);
    expect((await b.forms.list({})).data).toEqual([form]);
  });

  it("__proto__ as a member, and changes no prototype", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const body = '{"name":"B","__proto__":{"polluted":true}}';
    const { status, json } = await b.call(method, method === "POST" ? "/v1/forms" : `/v1/forms/${form.id}`, {
      body,
      headers: { "content-type": "application/json" },
    });
    expect([status, json.error.param]).toEqual([400, "__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("values at their bound", () => {
  const accepted: [path: string, value: unknown][] = [
    ["name", long(128)],
    ["folder_id", long(64)],
    ["self_email_notification.subject", long(300)],
    ["self_email_notification.recipients", Array.from({ length: 50 }, (_, i) => `a${i}@example.com`)],
    ["self_email_notification.template.html", long(200 * 1024)],
    ["auto_response.template.message", long(10_000)],
    ["after_submit.page.primary_color", "#abc"],
    ["after_submit.redirect.success_url", `https://example.com/${long(2028)}`],
    [
      "validation.rules",
      Array.from({ length: 100 }, () => ({ field: "a", checks: [{ type: "required", value: "", message: "" }] })),
    ],
    ["validation.rules", [{ field: "é ü", checks: [{ type: "pattern", value: "^a{1,3}$", message: "m" }] }]],
  ];
  it.each(accepted)("%s is taken", async (path, value) => {
    const b = harness();
    const { status, json } = await b.call("POST", "/v1/forms", { body: { name: "A", ...at(path, value) } });
    expect(status).toBe(201);
    expect(path.split(".").reduce((v, key) => v[key], json)).toEqual(value);
  });
});

describe("bodies that are no body", () => {
  const json = { "content-type": "application/json" };
  it.each([
    ["malformed JSON", '{"name":', json, 400, "invalid_parameter"],
    ["a list", "[]", json, 400, "invalid_parameter"],
    ["null", "null", json, 400, "invalid_parameter"],
    ["bytes that are not UTF-8", '{"name":"\uD800"', json, 400, "invalid_parameter"],
    ["an empty body", "", json, 400, "invalid_parameter"],
    [
      "another content type",
      "name=A",
      { "content-type": "application/x-www-form-urlencoded" },
      415,
      "unsupported_media_type",
    ],
    ["no content type", "{}", { "content-type": "" }, 415, "unsupported_media_type"],
    ["no body and no content type", "", { "content-type": "" }, 400, "invalid_parameter"],
    ["more than 1 MB", `{"name":"${long(1024 * 1024)}"}`, json, 413, "payload_too_large"],
  ])("%s", async (_, body, headers, status, code) => {
    const answer = await harness().call("POST", "/v1/forms", { body, headers });
    expect([answer.status, answer.json.error.code, answer.json.error.param]).toEqual([status, code, undefined]);
  });

  it("a body without a name names the field", async () => {
    const { json } = await harness().call("POST", "/v1/forms", { body: {} });
    expect(json.error).toMatchObject({ code: "invalid_parameter", param: "name", message: "`name` is required." });
  });
});

describe("rules with patterns", () => {
  it("are compiled when they are sent, and not for every answer", async () => {
    const b = harness();
    const compile = vi.spyOn(RE2JS, "compile");
    const rules = [{ field: "zip", checks: [{ type: "pattern", value: "^[0-9]{5}$" }] }];
    const { json } = await b.call("POST", "/v1/forms", { body: { name: "A", validation: { rules } } });
    expect(compile).toHaveBeenCalledTimes(1);
    for (const path of ["/v1/forms", `/v1/forms/${json.id}`]) expect((await b.call("GET", path)).status).toBe(200);
    expect(compile).toHaveBeenCalledTimes(1);
    compile.mockRestore();
  });
});

describe("what only the host may set", () => {
  it("is taken in process and kept by a later PATCH over the API", async () => {
    const b = harness();
    const { settings, ...form } = await b.forms.create({
      name: "A",
      avatar: "🎉",
      allowed_origins: ["https://example.com"],
      storage: { keep_for: "90_days" },
      spam: { require_token: true, captcha: { provider: "friendly_captcha", secret_key: "any key" } },
      self_email_notification: { template: { theme: "formal" } },
      auto_response: { template: { theme: "formal" } },
    });
    const { json } = await b.call("PATCH", `/v1/forms/${form.id}`, { body: { name: "B" } });
    expect(json).toEqual({ ...form, name: "B" });
    expect((await b.forms.get(form.id)).settings).toEqual(settings);
    expect(json).toMatchObject({
      avatar: "🎉",
      storage: { keep_for: "90_days" },
      spam: { captcha: { provider: "friendly_captcha", secret_key_set: true } },
      self_email_notification: { template: { theme: "formal" } },
    });
  });

  it.each(["✉️", "❤", "👩‍👩‍👧‍👦", "👍🏽", "🇩🇪", "1️⃣", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"])("takes the emoji %s as avatar", async (avatar) => {
    expect((await harness().forms.create({ name: "A", avatar })).avatar).toBe(avatar);
  });

  it.each([
    ["storage.keep_for", "0_days"],
    ["storage.keep_for", "week"],
    ["allowed_origins.0", ["https://example.com/path"]],
    ["spam.captcha.provider", "other"],
    ...["", "x", "12", "🎉🎉", "🎉 ", "🇩", "<b>"].map((avatar): [string, unknown] => ["avatar", avatar]),
  ])("refuses %s = %j with the same error as HTTP", async (path, value) => {
    const b = harness();
    const input = { name: "A", ...at(path.replace(/\.0$/, ""), value) };
    await expect(b.forms.create(input as never)).rejects.toMatchObject({
      code: "invalid_parameter",
      status: 400,
      param: path,
    });
  });
});

function send(b: ReturnType<typeof harness>, method: string, id: string, body: Record<string, unknown>) {
  return method === "POST"
    ? b.call("POST", "/v1/forms", { body: { name: "B", ...body } })
    : b.call("PATCH", `/v1/forms/${id}`, { body });
}
