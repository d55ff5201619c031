import { describe, expect, it } from "vitest";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { memoryStorage } from "../../../../src/index.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

const html = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

async function stored(b: Harness, formId: string): Promise<number> {
  return (await b.forms.get(formId)).submissions.all_time;
}

describe("what a post is answered with", () => {
  it("a browser's form is led to the thank-you page", async () => {
    const b = harness();
    const form = await b.forms.create({
      name: "A",
      after_submit: { page: { headline: "Danke <3", message: "Bis bald" } },
    });
    const posted = await b.post(form.id, "name=Ann", { ...html, referer: "https://site.example/contact?a=1" });
    const location = posted.headers.get("location") ?? "";
    expect([posted.status, posted.text, location.startsWith(`${form.endpoint}/thanks/`)]).toEqual([303, "", true]);
    const { status, text, headers } = await b.call("GET", location.slice(b.baseUrl.length), { headers: html });
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toContain("<h1>Danke &lt;3</h1>");
    expect(text).toContain('href="https://site.example/contact?a=1"');
    expect(text).not.toContain("<script");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  it.each([
    ["a JSON body", { body: { name: "Ann" }, headers: {} }],
    ["Accept: application/json", { body: "name=Ann", headers: { accept: "application/json" } }],
    ["Accept that prefers JSON", { body: "name=Ann", headers: { accept: "text/html;q=0.5, application/json" } }],
    ["Accept that names JSON", { body: "name=Ann", headers: { accept: "application/json, text/plain, */*" } }],
    ["Accept that takes no page", { body: "name=Ann", headers: { accept: "application/*" } }],
    ["X-Requested-With", { body: "name=Ann", headers: { "x-requested-with": "XMLHttpRequest" } }],
  ])("%s gets JSON", async (_, { body, headers }) => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const { status, json } = await b.post(form.id, body, headers as Record<string, string>);
    expect(status).toBe(200);
    expect(json).toEqual({
      code: 200,
      status: "success",
      title: "Thank you!",
      message: "Your submission has been received.",
      submission_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      redirect: null,
    });
  });

  it.each([
    ["*/*"],
    ["application/json;q=0.4, text/html"],
    ["application/json;q=0.5, text/*"],
    ["application/json;q=0.5, */*"],
    ["application/json, text/html"],
    ["application/json;q=0"],
  ])("Accept: %s gets a page", async (accept) => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const headers = { accept, "sec-fetch-mode": "navigate" };
    expect((await b.post(form.id, "name=Ann", headers)).status).toBe(303);
  });

  it("a redirect form answers 303, with the fields where asked for", async () => {
    const b = harness();
    const redirect = { success_url: "https://site.example/thanks?x=1", append_submission_to_url: true };
    const form = await b.forms.create({ name: "A", after_submit: { redirect } });
    const { status, headers } = await b.post(form.id, "name=Ann+Lee&_hidden=1&tag=a&tag=b", html);
    expect([status, headers.get("location")]).toEqual([
      303,
      "https://site.example/thanks?x=1&name=Ann+Lee&tag=a&tag=b",
    ]);
    const long = await b.post(form.id, `name=Ann&text=${"x".repeat(3000)}`, html);
    expect(long.headers.get("location")).toBe("https://site.example/thanks?x=1&name=Ann");
  });

  it("a failure goes to fail_url with its code, or to an error page that keeps what was typed", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const page = await b.post(
      form.id,
      `name=${encodeURIComponent('<b>"Ann"</b>')}&_idempotency_key=${"k".repeat(256)}`,
      html,
    );
    expect(page.status).toBe(400);
    expect(page.text).toContain('<input type="hidden" name="name" value="&lt;b&gt;&quot;Ann&quot;&lt;/b&gt;">');
    expect(page.text).toContain(`action="${form.endpoint}"`);
    await b.forms.update(form.id, { after_submit: { redirect: { fail_url: "https://site.example/oops?a=1" } } });
    const redirect = await b.post(form.id, "", html);
    expect([redirect.status, redirect.headers.get("location")]).toEqual([
      303,
      "https://site.example/oops?a=1&error=empty_submission",
    ]);
  });

  it("_next leads back to the page's own site, and nowhere else", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const from = { ...html, referer: "https://site.example/a/contact" };
    const goes = async (next: string, headers: Record<string, string> = from) =>
      (await b.post(form.id, new URLSearchParams({ name: "Ann", _next: next }).toString(), headers)).headers.get(
        "location",
      );
    expect(await goes("thanks.html")).toBe("https://site.example/a/thanks.html");
    expect(await goes("/thanks")).toBe("https://site.example/thanks");
    expect(await goes("https://site.example/x")).toBe("https://site.example/x");
    expect(await goes("/thanks", html)).toBe("http://localhost:3000/thanks");
    // Under `Referrer-Policy: no-referrer`, a page's script still says its origin.
    const withoutPath = { ...html, origin: "https://site.example" };
    expect(await goes("/thanks", withoutPath)).toBe("https://site.example/thanks");
    expect(await goes("https://site.example/x", withoutPath)).toBe("https://site.example/x");
    const thanks = expect.stringContaining(`${form.endpoint}/thanks/`);
    expect(await goes("https://evil.example/x", withoutPath)).toEqual(thanks);
    for (const evil of [
      "https://evil.example",
      "//evil.example",
      "javascript:alert(1)",
      "https://site.example@evil.example",
      "\\\\evil.example",
    ]) {
      expect(await goes(evil)).toEqual(thanks);
    }
    await b.forms.update(form.id, { allowed_origins: ["https://site.example", "https://other.example"] });
    expect(await goes("https://other.example/ok")).toBe("https://other.example/ok");
    await b.forms.update(form.id, { after_submit: { redirect: { success_url: "https://own.example/" } } });
    expect(await goes("/thanks")).toBe("https://own.example/");
  });
});

describe("what is stored", () => {
  const fieldsOf = async (body: Parameters<Harness["post"]>[1]) => {
    const b = harness();
    const form = await b.forms.create({ name: "A", self_email_notification: { enabled: false } });
    const submissions: unknown[] = [];
    b.on("submission.created", (submission) => void submissions.push(submission.fields));
    b.on("submission.spam", (submission) => void submissions.push(submission.fields));
    const { status, text } = await b.post(form.id, body, { accept: "application/json" });
    expect(status, text).toBe(200);
    return submissions[0];
  };

  it("keeps order, repeats, empty values and unicode", async () => {
    expect(await fieldsOf("b=1&a=2&b=3&empty=&%C3%BC+%F0%9F%98%80=%E2%9C%93")).toEqual([
      { key: "b", value: "1" },
      { key: "a", value: "2" },
      { key: "b", value: "3" },
      { key: "empty", value: "" },
      { key: "ü 😀", value: "✓" },
    ]);
  });

  it("takes multipart fields as they are", async () => {
    const form = new FormData();
    form.append("name", "Ann");
    form.append("tag", "a");
    form.append("tag", "b\r\nc");
    form.append("file", new File([], ""));
    expect(await fieldsOf(form)).toEqual([
      { key: "name", value: "Ann" },
      { key: "tag", value: "a" },
      { key: "tag", value: "b\r\nc" },
    ]);
  });

  it("flattens JSON", async () => {
    expect(await fieldsOf({ a: { b: 1, c: [true, null, { d: "x" }] }, e: "" })).toEqual([
      { key: "a.b", value: "1" },
      { key: "a.c", value: "true" },
      { key: "a.c", value: "" },
      { key: "a.c.d", value: "x" },
      { key: "e", value: "" },
    ]);
  });

  it.each([
    ["urlencoded", (fields: [string, string][]) => new URLSearchParams(fields)],
    ["JSON", (fields: [string, string][]) => Object.fromEntries(fields)],
    ["JSON of escapes", (fields: [string, string][]) => Object.fromEntries(fields), '"'],
  ])("takes 1 MB of fields as %s, and not a byte more", async (_, body, character = "ü") => {
    const b = harness({ rateLimit: false });
    const form = await b.forms.create({ name: "A" });
    const full = 64 * 1024 - 3;
    const value = character.repeat(full).slice(0, Math.floor(full / Buffer.byteLength(character)));
    const fields = Array.from({ length: 16 }, (_, i): [string, string] => [
      `f${String(i).padStart(2, "0")}`,
      value.padEnd(value.length + full - Buffer.byteLength(value), "x"),
    ]);
    const post = () => b.post(form.id, body(fields), { accept: "application/json" });
    expect((await post()).status).toBe(200);
    fields[0] = ["f000", fields[0]?.[1] ?? ""];
    expect((await post()).json.error.code).toBe("payload_too_large");
  });

  it("takes names that would hurt an object as plain names", async () => {
    const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];
    expect(await fieldsOf(names.map((name) => `${name}=x`).join("&"))).toEqual(
      names.map((key) => ({ key, value: "x" })),
    );
    expect(await fieldsOf(JSON.parse('{"__proto__":{"polluted":"1"}}'))).toEqual([
      { key: "__proto__.polluted", value: "1" },
    ]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("replaces NUL and lone surrogates at the door", async () => {
    expect(await fieldsOf("a=x%00y")).toEqual([{ key: "a", value: "x\uFFFDy" }]);
    expect(await fieldsOf({ "k\u0000": "\ud800z" })).toEqual([{ key: "k\uFFFD", value: "\uFFFDz" }]);
  });

  it("stores no special field and no captcha token", async () => {
    const special = [
      "_next",
      "_subject",
      "_replyto",
      "_token",
      "_idempotency_key",
      "g-recaptcha-response",
      "h-captcha-response",
      "cf-turnstile-response",
      "frc-captcha-response",
      "frc-captcha-solution",
      "altcha",
    ];
    expect(await fieldsOf(`a=1&${special.map((name) => `${name}=x`).join("&")}`)).toEqual([{ key: "a", value: "1" }]);
  });

  it("counts a submission for its form and month", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    await b.post(form.id, "a=1");
    await b.clock.advance(31 * 24 * 3600 * 1000);
    await b.post(form.id, "a=1");
    const { submissions, last_submission_at } = await b.forms.get(form.id);
    expect([submissions, last_submission_at]).toEqual([{ this_month: 1, all_time: 2 }, "2026-02-01T00:00:00.000Z"]);
  });

  it("takes a filled honeypot as spam, with an ordinary answer and without mail or webhook", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A", self_email_notification: { recipients: ["me@example.com"] } });
    await b.webhooks.create(form.id, { url: "https://example.com/hook" });
    const { status, json } = await b.post(form.id, "a=1&_gotcha=x", { accept: "application/json" });
    expect([status, json.status]).toEqual([200, "success"]);
    await b.tick();
    expect([b.mails.length, b.webhookCalls.length, await stored(b, form.id)]).toEqual([0, 0, 1]);
    expect(
      (await b.jobs.list({ form_id: form.id })).map(({ kind, status, code }) => [kind, status, code]).sort(),
    ).toEqual([
      ["owner_email", "skipped", "SKIPPED_SPAM"],
      ["webhook", "skipped", "SKIPPED_SPAM"],
    ]);
  });

  it("keeps no content of a form that stores none, once its deliveries have run", async () => {
    const b = harness();
    const form = await b.forms.create({
      name: "A",
      storage: { store_submissions: false },
      self_email_notification: { recipients: ["me@example.com"] },
    });
    const { json } = await b.post(form.id, { secret: "value" });
    await b.tick();
    expect(b.mails[0]?.text).toContain("secret: value");
    expect(await stored(b, form.id)).toBe(1);
    expect((await b.jobs.list({ submission_id: json.submission_id }))[0]?.status).toBe("succeeded");
  });
});

describe("every refusal of the public endpoint", () => {
  const field = (length: number) => "x".repeat(length);
  const multipart = (body: string) => ({ body, headers: { "content-type": "multipart/form-data; boundary=b" } });
  const cases: [
    name: string,
    status: number,
    code: string,
    post: { body: string | object; headers?: Record<string, string> },
  ][] = [
    ["no field at all", 400, "empty_submission", { body: "" }],
    ["only empty values", 400, "empty_submission", { body: "a=&b=+" }],
    ["only special fields", 400, "empty_submission", { body: "_next=/x&_subject=s" }],
    ["malformed JSON", 400, "invalid_parameter", { body: '{"a":', headers: { "content-type": "application/json" } }],
    [
      "a JSON object as urlencoded",
      400,
      "malformed_body",
      { body: ' {"email":"a@b.co","url":"https://x.y/?q=1&r=2"}\n' },
    ],
    ["a JSON list as urlencoded", 400, "malformed_body", { body: '["a=1"]' }],
    ["a JSON list", 400, "invalid_parameter", { body: "[1]", headers: { "content-type": "application/json" } }],
    [
      "JSON nested 33 deep",
      400,
      "invalid_parameter",
      { body: `${'{"a":'.repeat(33)}1${"}".repeat(33)}`, headers: { "content-type": "application/json" } },
    ],
    [
      "multipart without a boundary",
      400,
      "invalid_parameter",
      { body: "x", headers: { "content-type": "multipart/form-data" } },
    ],
    [
      "multipart cut short",
      400,
      "invalid_parameter",
      multipart('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx'),
    ],
    [
      "a web page as a file",
      415,
      "file_type_not_allowed",
      multipart(
        '--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n<html>\r\n--b--\r\n',
      ),
    ],
    ["text/plain", 415, "unsupported_media_type", { body: "a=1", headers: { "content-type": "text/plain" } }],
    ["501 fields", 413, "payload_too_large", { body: field(501).replaceAll("x", "a=1&") }],
    ["10,000 fields", 413, "payload_too_large", { body: field(10_000).replaceAll("x", "a=1&") }],
    ["a name of 201 characters", 413, "payload_too_large", { body: `${field(201)}=1` }],
    ["a value over 64 KB", 413, "payload_too_large", { body: `a=${field(64 * 1024 + 1)}` }],
    [
      "a multipart value over 64 KB",
      413,
      "payload_too_large",
      multipart(`--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${field(64 * 1024 + 1)}\r\n--b--\r\n`),
    ],
    [
      "17 values of 64 KB",
      413,
      "payload_too_large",
      { body: Array.from({ length: 17 }, () => `a=${field(64 * 1024)}`).join("&") },
    ],
    ["a body of 5 MB", 413, "payload_too_large", { body: `a=${field(5 * 1024 * 1024)}` }],
    ["a JSON body over 1 MB", 413, "payload_too_large", { body: { a: field(1024 * 1024) } }],
    ["a body of no type", 415, "unsupported_media_type", { body: "a=1", headers: { "content-type": "" } }],
    ["a key of 256 characters", 400, "invalid_parameter", { body: "a=1", headers: { "idempotency-key": field(256) } }],
  ];
  it.each(cases)("%s is %i %s, and nothing is stored", async (_, status, code, { body, headers }) => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const answer = await b.post(form.id, body, { "x-requested-with": "XMLHttpRequest", ...headers });
    expect([answer.status, answer.json.code, answer.json.status, answer.json.error.code]).toEqual([
      status,
      status,
      "error",
      code,
    ]);
    expect(answer.json).toMatchObject({
      title: expect.any(String),
      message: answer.json.error.message,
      errors: {},
      error: { type: "invalid_request_error", request_id: answer.headers.get("x-request-id") },
    });
    expect(await stored(b, form.id)).toBe(0);
  });

  // A JSON body is always answered in JSON; what a browser's form can send also gets a page or a redirect.
  const fromForms = cases.filter(
    ([, , , { body, headers }]) => typeof body === "string" && headers?.["content-type"] !== "application/json",
  );
  it.each(fromForms)(
    "%s in a browser is a page with status %i, or goes to fail_url with %s",
    async (_, status, code, post) => {
      const b = harness();
      const form = await b.forms.create({ name: "A" });
      const page = await b.post(form.id, post.body, { ...html, ...post.headers });
      expect([page.status, page.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"]);
      expect(page.text).toContain('role="alert"');
      await b.forms.update(form.id, { after_submit: { redirect: { fail_url: "https://site.example/oops" } } });
      const redirect = await b.post(form.id, post.body, { ...html, ...post.headers });
      expect([redirect.status, redirect.headers.get("location")]).toEqual([
        303,
        `https://site.example/oops?error=${code}`,
      ]);
      expect(await stored(b, form.id)).toBe(0);
    },
  );

  it.each([
    ["at 500 fields", field(500).replaceAll("x", "a=1&")],
    ["at a name of 200 characters", `${field(200)}=1`],
    ["at a value of 64 KB", `a=${field(64 * 1024)}`],
    ["a name that only begins like JSON", "{a=1&[b]=2"],
    ["at a key of 255 characters", `a=1&_idempotency_key=${field(255)}`],
  ])("accepts %s", async (_, body) => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    expect((await b.post(form.id, body)).status).toBe(200);
  });

  it("an unknown form is 404, in JSON and as a page", async () => {
    const b = harness();
    const json = await b.post("nope", { a: 1 });
    expect([json.status, json.json.error.code]).toEqual([404, "form_not_found"]);
    expect((await b.post("nope", "a=1", html)).headers.get("content-type")).toContain("text/html");
  });

  it("a form of an inactive team is form_inactive", async () => {
    const b = harness();
    await b.teams.create({ id: "acme", name: "Acme" });
    const form = await b.forms.create({ name: "A" }, { team_id: "acme" });
    await b.teams.update("acme", { active: false });
    expect((await b.post(form.id, { a: 1 })).json.error.code).toBe("form_inactive");
  });

  it.each(["PUT", "PATCH", "DELETE"])("%s is 405 with Allow", async (method) => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const { status, headers, json } = await b.call(method, `/f/${form.id}`, {
      headers: { accept: "application/json" },
    });
    expect([status, headers.get("allow"), json.error.code]).toEqual([405, "POST, OPTIONS", "method_not_allowed"]);
  });

  it("GET explains the endpoint, with status 405", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const { status, text, headers } = await b.call("GET", `/f/${form.id}`);
    expect([status, headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    expect(text).toContain(`action=&quot;${form.endpoint}&quot;`);
  });

  it("503 with Retry-After while the store is down, and the next post is accepted", async () => {
    const { memoryStorage } = await import("../../../../src/index.ts");
    const storage = memoryStorage();
    let down = false;
    const b = harness({
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      storage: {
        ...storage,
        commit: (writes) => (down ? Promise.reject(new Error("disk gone")) : storage.commit(writes)),
      },
    });
    const form = await b.forms.create({ name: "A" });
    down = true;
    const answer = await b.post(form.id, { a: 1 });
    expect([answer.status, answer.json.error.code, answer.json.error.type, answer.headers.get("retry-after")]).toEqual([
      503,
      "unavailable",
      "api_error",
      "5",
    ]);
    expect(answer.text).not.toContain("disk gone");
    down = false;
    expect((await b.post(form.id, { a: 1 })).status).toBe(200);
    expect(await stored(b, form.id)).toBe(1);
  });
});

describe("origins", () => {
  it("without a list any origin may post and read the answer", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const { headers } = await b.post(form.id, { a: 1 }, { origin: "https://any.example" });
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  });

  it("with a list the others are refused, and so is who says nothing", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A", allowed_origins: ["https://site.example"] });
    const ok = await b.post(form.id, { a: 1 }, { origin: "https://site.example" });
    expect([ok.status, ok.headers.get("access-control-allow-origin"), ok.headers.get("vary")]).toEqual([
      200,
      "https://site.example",
      "Accept-Language, Origin",
    ]);
    expect((await b.post(form.id, { a: 1 }, { referer: "https://site.example/contact" })).status).toBe(200);
    const headers: Record<string, string>[] = [
      {},
      { origin: "https://evil.example" },
      { origin: "null" },
      { referer: "https://site.example.evil.example/" },
    ];
    for (const given of headers) {
      const { status, json } = await b.post(form.id, { a: 1 }, given);
      expect([status, json.error.code]).toEqual([403, "origin_not_allowed"]);
    }
    expect(await stored(b, form.id)).toBe(2);
  });

  it("OPTIONS answers the preflight by the same list", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A", allowed_origins: ["https://site.example"] });
    const ask = (origin: string) =>
      b.call("OPTIONS", `/f/${form.id}`, { key: null, headers: { origin, "access-control-request-method": "POST" } });
    const yes = await ask("https://site.example");
    expect([
      yes.status,
      yes.headers.get("access-control-allow-origin"),
      yes.headers.get("access-control-allow-methods"),
    ]).toEqual([204, "https://site.example", "POST, OPTIONS"]);
    expect((await ask("https://evil.example")).headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("idempotency", () => {
  it.each([
    ["memory", memoryStorage],
    ["SQLite", () => sqliteStorage({ path: ":memory:" })],
  ])("100 posts at once with one key store one submission and get one answer, on %s", async (_, storage) => {
    const b = harness({ rateLimit: false, storage: storage() });
    const form = await b.forms.create({ name: "A", self_email_notification: { recipients: ["me@example.com"] } });
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => b.post(form.id, { a: 1 }, { "idempotency-key": "k" })),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    await b.tick();
    expect([await stored(b, form.id), b.mails.length]).toEqual([1, 1]);
  });

  it("while the first post with a key goes on running, the others are told to come again", async () => {
    let begun = () => {};
    const asked = new Promise<void>((resolve) => (begun = resolve));
    let open = () => {};
    const closed = new Promise<void>((resolve) => (open = resolve));
    const slow = async () => {
      begun();
      await closed;
      return null;
    };
    const b = harness({ spam: { checks: [slow] } });
    const form = await b.forms.create({ name: "A" });
    const first = b.post(form.id, { a: 1 }, { "idempotency-key": "k" });
    await asked;
    const [same, other, page] = await Promise.all([
      b.post(form.id, { a: 1 }, { "idempotency-key": "k" }),
      b.post(form.id, { a: 2 }, { "idempotency-key": "k" }),
      b.post(form.id, "a=1&_idempotency_key=k", html),
    ]);
    for (const { status, json, headers } of [same, other])
      expect([status, json.error.code, headers.get("retry-after")]).toEqual([409, "idempotency_in_progress", "1"]);
    expect([page.status, page.text.includes("<h1>Please wait a moment</h1>")]).toEqual([409, true]);
    open();
    expect((await first).status).toBe(200);
    expect((await b.post(form.id, { a: 1 }, { "idempotency-key": "k" })).text).toBe((await first).text);
    expect(await stored(b, form.id)).toBe(1);
  });

  it("an empty key is none", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    for (const headers of [{ "idempotency-key": "" }, { "idempotency-key": '""' }, {}])
      for (const a of [1, 2]) expect((await b.post(form.id, { a, _idempotency_key: "" }, headers)).status).toBe(200);
    expect(await stored(b, form.id)).toBe(6);
    // An empty header does not hide the field.
    const posts = [];
    for (let i = 0; i < 2; i++)
      posts.push(await b.post(form.id, { a: 1, _idempotency_key: "k" }, { "idempotency-key": "" }));
    expect(posts[1]?.text).toBe(posts[0]?.text);
    expect(await stored(b, form.id)).toBe(7);
  });

  it("the first answer comes again when the submission is no longer stored", async () => {
    const b = harness();
    const { id } = await b.forms.create({
      name: "A",
      storage: { store_submissions: false },
      after_submit: { redirect: { success_url: "https://site.example/ok", append_submission_to_url: true } },
    });
    const post = () => b.post(id, "a=1&b=2", { ...html, "idempotency-key": "k" });
    const input = { fields: { a: "1" }, ip: "203.0.113.1", idempotency_key: "in process" };
    const [posted, submitted] = [await post(), await b.submit(id, input)];
    expect(posted.headers.get("location")).toBe("https://site.example/ok?a=1&b=2");
    await b.clock.advance(60_000);
    expect((await post()).headers.get("location")).toBe("https://site.example/ok?a=1&b=2");
    expect(await b.submit(id, input)).toEqual(submitted);
    expect(await stored(b, id)).toBe(2);
  });

  it.each(["_subject", "_replyto"])(
    "another %s is another body, another captcha or render token is not",
    async (name) => {
      const b = harness();
      const form = await b.forms.create({ name: "A" });
      const post = (more: object) => b.post(form.id, { a: 1, ...more }, { "idempotency-key": "k" });
      const first = await post({ [name]: "one@example.com", _token: "t1", altcha: "x" });
      expect((await post({ [name]: "one@example.com", _token: "t2", altcha: "y" })).text).toBe(first.text);
      expect((await post({ [name]: "two@example.com" })).json.error.code).toBe("idempotency_mismatch");
    },
  );

  it("another body under the key is 422, another form or a day later is free", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const first = await b.post(form.id, { a: 1 }, { "idempotency-key": '"k"' });
    const other = await b.post(form.id, { a: 2 }, { "idempotency-key": "k" });
    expect([other.status, other.json.error.code]).toEqual([422, "idempotency_mismatch"]);
    const second = await b.forms.create({ name: "B" });
    expect((await b.post(second.id, "a=2&_idempotency_key=k")).status).toBe(200);
    await b.clock.advance(24 * 3600 * 1000);
    const later = await b.post(form.id, { a: 2 }, { "idempotency-key": "k" });
    expect(later.status).toBe(200);
    expect(later.json.submission_id).not.toBe(first.json.submission_id);
  });

  it("a key that another process is just storing is 409 until its answer can be seen, and then answered with it", async () => {
    const { memoryStorage, StaleWriteError } = await import("../../../../src/index.ts");
    const storage = memoryStorage();
    let ahead = false;
    const b = harness({
      storage: {
        ...storage,
        commit: (writes) => (ahead ? Promise.reject(new StaleWriteError("marks", "idem")) : storage.commit(writes)),
      },
    });
    const form = await b.forms.create({ name: "A" });
    ahead = true;
    const early = await b.post(form.id, { a: 1 }, { "idempotency-key": "k" });
    expect([early.status, early.json.error.code, early.headers.get("retry-after")]).toEqual([
      409,
      "idempotency_in_progress",
      "1",
    ]);
    ahead = false;
    expect((await b.post(form.id, { a: 1 }, { "idempotency-key": "k" })).status).toBe(200);
    expect(await stored(b, form.id)).toBe(1);
  });

  it("a refused post binds no key", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    expect((await b.post(form.id, {}, { "idempotency-key": "k" })).status).toBe(400);
    expect((await b.post(form.id, { a: 1 }, { "idempotency-key": "k" })).status).toBe(200);
  });

  it("without a key nothing is dropped for looking like an earlier post", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    for (let i = 0; i < 3; i++) await b.post(form.id, { a: 1 });
    expect(await stored(b, form.id)).toBe(3);
  });
});

it("a key stays bound to its first post, also once its submission was deleted", async () => {
  const b = harness();
  const { id } = await b.forms.create({ name: "A" });
  const post = (a: number) => b.post(id, { a }, { "idempotency-key": "k" });
  const first = await post(1);
  await b.submissions.delete(id, first.json.submission_id);
  expect((await post(1)).text).toBe(first.text);
  const other = await post(2);
  expect([other.status, other.json.error.code]).toEqual([422, "idempotency_mismatch"]);
  expect((await b.submissions.list(id)).data).toEqual([]);
});
