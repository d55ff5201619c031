import { createHash } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Answer, type Harness, harness } from "../../../_support/backend.ts";

type Page = NonNullable<NonNullable<Parameters<Harness["forms"]["create"]>[0]["after_submit"]>["page"]>;
const HTML = { accept: "text/html" };

function start(): Harness {
  const backend = harness();
  onTestFinished(() => backend.close());
  return backend;
}

async function thankYou(page: Page, headers: Record<string, string> = {}): Promise<Answer> {
  const backend = start();
  const form = await backend.forms.create({ name: "Contact", after_submit: { page } });
  return thanksAfter(backend, await backend.post(form.id, "message=hello", { ...HTML, ...headers }));
}

/** The page that an accepted post leads to. */
function thanksAfter(backend: Harness, { status, headers }: Answer): Promise<Answer> {
  expect(status).toBe(303);
  const location = headers.get("location") ?? "";
  return backend.call("GET", location.slice(backend.baseUrl.length), { key: null, headers: HTML });
}

const styleOf = (html: string): string => /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? "";
const policyOf = ({ headers }: Answer): Map<string, string> =>
  new Map(
    (headers.get("content-security-policy") ?? "").split("; ").map((directive) => {
      const [name = "", ...values] = directive.split(" ");
      return [name, values.join(" ")];
    }),
  );

function expectSelfContained(answer: Answer, images = "'none'"): void {
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(answer.text).toMatch(/^<!doctype html><html lang="en"/);
  expect(answer.text).not.toMatch(/<script|<link|<iframe|\son\w+=(?!alert\(1\)&gt;)|@import|url\(/);
  const policy = policyOf(answer);
  expect(policy.get("default-src")).toBe("'none'");
  expect(policy.get("base-uri")).toBe("'none'");
  expect(policy.get("img-src")).toBe(images);
  expect(policy.get("style-src")).toBe(
    `'sha256-${createHash("sha256").update(styleOf(answer.text)).digest("base64")}'`,
  );
  expect(answer.text).not.toMatch(/\sstyle=/);
}

describe("thank-you page", () => {
  const looks = (["fancy", "formal", "sweet"] as const).flatMap((theme) =>
    (["light", "dark", "system"] as const).map((mode) => ({ theme, mode })),
  );

  test.each(looks)("$theme, $mode", async ({ theme, mode }) => {
    const answer = await thankYou({ theme, mode, headline: "Danke!", message: "Bis bald.", primary_color: "#0f766e" });
    expect(answer.status).toBe(200);
    expectSelfContained(answer);
    expect(answer.text).toContain("<title>Danke!</title>");
    expect(answer.text).toContain("<h1>Danke!</h1>");
    expect(answer.text).toContain(">Bis bald.</p>");
    expect(answer.text).toContain(`data-mode="${mode}"`);
    const style = styleOf(answer.text);
    expect(style).toContain(`color-scheme:${mode === "system" ? "light dark" : mode};`);
    expect(style.includes("@media(prefers-color-scheme:dark)")).toBe(mode === "system");
    expect(style).toContain("--primary:#0f766e");
  });

  test("every look is one of its own", async () => {
    const styles = await Promise.all(looks.map(async (look) => styleOf((await thankYou(look)).text)));
    expect(new Set(styles).size).toBe(9);
  });

  test("what the owner wrote is text", async () => {
    const attack = `</h1></p><script>alert(1)</script><img src=x onerror=alert(1)>"'&`;
    const answer = await thankYou({
      headline: attack,
      message: attack,
      return_button: { text: attack.slice(0, 100), url: 'https://example.com/?a="><script>' },
      download_button: { text: attack.slice(0, 100), url: "https://example.com/d" },
    });
    expectSelfContained(answer);
    expect(answer.text).not.toContain("<img");
    expect(answer.text.match(/<a /g)).toHaveLength(2);
  });

  test("the return button leads to the form's URL, else back to the page, else it is not there", async () => {
    const from = { referer: "https://site.example/contact?a=1&b=2" };
    const own = await thankYou({ return_button: { url: "https://example.com/home" } }, from);
    expect(own.text).toContain('<a class="button" href="https://example.com/home">Return</a>');
    const back = await thankYou({}, from);
    expect(back.text).toContain('<a class="button" href="https://site.example/contact?a=1&amp;b=2">Return</a>');
    for (const referer of ["javascript:alert(1)", "data:text/html,x", "nonsense"])
      expect((await thankYou({}, { referer })).text).not.toContain("<a ");
    expect((await thankYou({})).text).not.toContain("<a ");
    expect((await thankYou({ return_button: { text: "" } }, from)).text).not.toContain("<a ");
  });

  test("the logo, its size, and the dark one in dark mode", async () => {
    const logo_url = "https://cdn.example.com/light.png";
    const logo_dark_url = "https://dark.example.com/dark, 1.png";
    const light = await thankYou({ logo_url, logo_dark_url, logo_size: "large" });
    expect(light.text).toContain(`<img class="logo large" src="${logo_url}" height="80" alt="">`);
    expect(light.text).not.toContain("<picture");
    const dark = await thankYou({ mode: "dark", logo_url, logo_dark_url, logo_size: "small" });
    expect(dark.text).toContain(`<img class="logo small" src="${logo_dark_url}" height="32" alt="">`);
    const system = await thankYou({ mode: "system", logo_url, logo_dark_url });
    expect(system.text).toContain(
      `<picture><source srcset="https://dark.example.com/dark%2C%201.png" media="(prefers-color-scheme: dark)"><img class="logo medium" src="${logo_url}" height="48" alt=""></picture>`,
    );
    expectSelfContained(system, "https://cdn.example.com https://dark.example.com");
    const darkWithout = await thankYou({ mode: "dark", logo_url });
    expect(darkWithout.text).toContain(`src="${logo_url}"`);
    const systemWithout = await thankYou({ mode: "system", logo_url });
    expect(systemWithout.text).toContain('class="logo medium plate"');
    expect((await thankYou({ logo_dark_url })).text).not.toContain("<img");
  });

  test("settings out of rule never get this far", async () => {
    const backend = start();
    const form = await backend.forms.create({ name: "Contact" });
    const cases: [leaf: string, value: string][] = [
      ["primary_color", "red"],
      ["primary_color", "#12345"],
      ["primary_color", "#fff;}body{display:none"],
      ["secondary_color", "#ffffffff"],
      ["logo_url", "javascript:alert(1)"],
      ["logo_url", "data:image/svg+xml,<svg onload=alert(1)>"],
      ["logo_dark_url", "//cdn.example.com/logo.png"],
      ["logo_size", "huge"],
      ["theme", "plain"],
      ["mode", "auto"],
    ];
    for (const [leaf, value] of cases) {
      const body = { after_submit: { page: { [leaf]: value } } };
      const answer = await backend.call("PATCH", `/v1/forms/${form.id}`, { body });
      expect(answer.json.error, `${leaf} ${value}`).toMatchObject({
        code: "invalid_parameter",
        param: `after_submit.page.${leaf}`,
      });
    }
    for (const button of ["return_button", "download_button"]) {
      const body = { after_submit: { page: { [button]: { url: " javascript:alert(1)" } } } };
      expect((await backend.call("PATCH", `/v1/forms/${form.id}`, { body })).json.error.param).toBe(
        `after_submit.page.${button}.url`,
      );
    }
  });
});

describe("error page", () => {
  const rules = [
    { field: "email", checks: [{ type: "email" as const, message: "Not an <email>." }] },
    { field: "phone", checks: [{ type: "required" as const, message: "We need your number." }] },
  ];
  async function refused(body: string, headers: Record<string, string> = {}, more: object = {}) {
    const backend = start();
    const form = await backend.forms.create({
      name: "Contact",
      validation: { rules },
      after_submit: { page: { theme: "sweet", mode: "dark" } },
      ...more,
    });
    return { form, answer: await backend.post(form.id, body, { ...HTML, ...headers }) };
  }

  test("asks for what is wrong, in the form's theme, and carries the rest along in its order", async () => {
    const { form, answer } = await refused("a=1&email=nonsense&message=two%0D%0Alines&a=2", {
      referer: "https://site.example/c",
    });
    expect(answer.status).toBe(422);
    expectSelfContained(answer);
    expect(answer.text).toContain('data-mode="dark"');
    expect(answer.text).toContain('<p class="error" role="alert">Some values are not valid.</p>');
    expect(answer.text).toContain(`<form method="post" action="${form.endpoint}`);
    expect(answer.text).toMatch(
      /<label for="field-0">email<\/label><input id="field-0" name="email" dir="auto" aria-invalid="true" aria-describedby="field-0-error" inputmode="email" autocomplete="email" value="nonsense"><p class="error" id="field-0-error">Not an &lt;email&gt;\.<\/p>/,
    );
    const names = [...answer.text.matchAll(/<(?:input|select|textarea)[^>]* name="([^"]+)"/g)].map(([, name]) => name);
    expect(names).toEqual(["a", "email", "message", "a", "phone"]);
    expect(answer.text).toContain('<input type="hidden" name="message" value="two\r\nlines">');
    expect(answer.text).toMatch(/<input [^>]*name="phone"[^>]* aria-invalid="true"[\s\S]*>We need your number\.<\/p>/);
    expect(answer.text).toContain('<a class="button second" href="https://site.example/c">Go back</a>');
    expect(answer.text).toContain('<button class="button" type="submit">Send again</button>');
    const ids = [...answer.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("values and names of fields are text", async () => {
    const attack = `"><script>alert(1)</script></textarea>'`;
    const long = `${attack}\n`.repeat(9);
    const checks = [{ type: "max_length" as const, value: "1" }];
    const { answer } = await refused(
      new URLSearchParams([
        [attack, attack],
        ["long", long],
        ["kept", long],
      ]).toString(),
      {},
      { validation: { rules: [attack, "long"].map((field) => ({ field, checks })) } },
    );
    expectSelfContained(answer);
    expect(answer.text.match(/<\/textarea>/g)).toHaveLength(1);
  });

  test("its form may lead to the endpoint and on to where the form's success leads, and nowhere else", async () => {
    const { answer } = await refused(
      "email=nonsense",
      {},
      { after_submit: { redirect: { success_url: "https://thanks.example/done" } } },
    );
    expect(policyOf(answer).get("form-action")).toBe("http://localhost:3000 https://thanks.example");
    expect((await thankYou({})).headers.get("content-security-policy")).toContain("form-action 'none'");
    for (const [next, lead] of [
      ["https://other.example/x", " https://other.example"],
      ["https://evil.example/x", ""],
      ["/done", ""],
    ] as const) {
      const body = `email=nonsense&_next=${encodeURIComponent(next)}`;
      const headers = { origin: "https://site.example", referer: "https://site.example/c" };
      const allowed_origins = ["https://site.example", "https://other.example", "https://third.example"];
      const { answer: page } = await refused(body, headers, { allowed_origins });
      expect(policyOf(page).get("form-action")).toBe(`http://localhost:3000 https://site.example${lead}`);
    }
    // `no-referrer` would turn the Origin of the next post into `null`.
    expect(answer.headers.get("referrer-policy")).toBe("same-origin");
  });

  test("without a page to go back to, and where no second try helps", async () => {
    const backend = start();
    const form = await backend.forms.create({ name: "Contact", active: false });
    const inactive = await backend.post(form.id, "message=hello", HTML);
    expect(inactive.status).toBe(403);
    expect(inactive.text).toContain("use the back button of your browser");
    expect(inactive.text).not.toContain("Send again");
    const unknown = await backend.post("nosuchform1", "message=hello", HTML);
    expect(unknown.status).toBe(404);
    expectSelfContained(unknown);
    expect(unknown.text).toContain('data-mode="system"');
  });
});

test("the endpoint's own page explains itself, under 405", async () => {
  const backend = start();
  const form = await backend.forms.create({ name: "Contact" });
  const answer = await backend.call("GET", `/f/${form.id}`, { key: null });
  expect(answer.status).toBe(405);
  expect(answer.headers.get("allow")).toBe("POST, OPTIONS");
  expectSelfContained(answer);
  // HTML reads from left to right on an Arabic page, too.
  expect(answer.text).toContain(
    `<pre dir="ltr"><code>&lt;form action=&quot;${form.endpoint}&quot; method=&quot;post&quot;&gt;`,
  );
});
