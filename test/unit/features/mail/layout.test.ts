import { describe, expect, test } from "vitest";
import { contrast } from "../../../../src/lib/colour.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { closing, elementsOf } from "./_mail.ts";

const themes = ["fancy", "formal"] as const;
const LOGO = "https://cdn.example.com/logo.png?size=1&v=2";

/** The mails of one submission: the owner's and the reply. */
async function mailsOf(
  input: Parameters<Harness["forms"]["create"]>[0],
  fields: Parameters<Harness["submit"]>[1]["fields"] = { name: "Ada", email: "ada@example.com", message: "a\nb" },
) {
  const backend = closing(harness({ from: "Example Forms <forms@example.net>" }));
  const form = await backend.forms.create({ spam: { protection: false }, ...input });
  await backend.submit(form.id, { fields });
  await backend.tick();
  const owner = backend.mails.find(({ to }) => to.address === "owner@example.com");
  const reply = backend.mails.find(({ to }) => to.address !== "owner@example.com");
  return { backend, form, owner, reply };
}

const withTheme = (theme: "fancy" | "formal", more: { logo?: boolean; primary?: string } = {}) => ({
  name: "Contact",
  self_email_notification: {
    recipients: ["owner@example.com"],
    template: { theme },
    ...(more.logo && { logo_url: LOGO, logo_height: 64 }),
  },
  auto_response: { enabled: true, template: { theme }, ...(more.logo && { logo_url: LOGO, logo_height: 64 }) },
  ...(more.primary && { after_submit: { page: { primary_color: more.primary } } }),
});

describe.each(themes)("%s", (theme) => {
  test("tables for layout, styles on the elements, dark mode, and no remote asset", async () => {
    const { owner, reply } = await mailsOf(withTheme(theme));
    for (const html of [owner?.html ?? "", reply?.html ?? ""]) {
      expect(html).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">/);
      expect(html).toContain('<meta name="color-scheme" content="light dark">');
      expect(html).toContain('<meta name="supported-color-schemes" content="light dark">');
      expect(html).toContain("@media(prefers-color-scheme:dark)");
      expect(elementsOf(html)).not.toEqual(expect.arrayContaining(["img"]));
      for (const forbidden of ["script", "link", "img", "iframe", "form", "video", "object", "svg", "base"])
        expect(elementsOf(html)).not.toContain(forbidden);
      expect(html).not.toMatch(/url\(|@import|https?:\/\//);
      // Every block of text has its look without the style sheet.
      for (const [tag] of html.slice(html.indexOf("<body")).matchAll(/<(?:p|h1|h2|td|th|div)\b[^>]*>/g))
        expect(tag).toMatch(/ style="[^"]+"|^<td>$/);
      for (const [tag] of html.matchAll(/<table\b[^>]*>/g)) expect(tag).toMatch(/role="presentation"|border-collapse/);
    }
  });

  test("the logo is the one thing that is loaded, at the height that was set", async () => {
    const { owner, reply } = await mailsOf(withTheme(theme, { logo: true }));
    for (const html of [owner?.html ?? "", reply?.html ?? ""]) {
      const images = [...html.matchAll(/<img\b[^>]*>/g)].map(([tag]) => tag);
      expect(images).toHaveLength(1);
      expect(images[0]).toContain(`src="${LOGO.replace("&", "&amp;")}"`);
      expect(images[0]).toContain('height="64"');
      expect(images[0]).toContain("height:64px");
      expect([...html.matchAll(/https?:\/\/[^"\s]+/g)]).toHaveLength(1);
    }
  });

  test("values are never made into links", async () => {
    const { owner, reply } = await mailsOf(
      {
        ...withTheme(theme),
        auto_response: { enabled: true, template: { theme, message: "{{site}} {{email}} {{phone}}" } },
      },
      {
        site: "https://evil.example/x",
        email: "ada@example.com",
        phone: "+49 170 1234567",
        html: '<a href="https://evil.example">x</a>',
      },
    );
    for (const html of [owner?.html ?? "", reply?.html ?? ""]) {
      expect(elementsOf(html)).not.toContain("a");
      expect(html).toContain("https://evil.example/x");
      expect(html).toContain(
        '<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">',
      );
    }
  });

  test("reads well without styles: names and values apart, line breaks kept, the footer with form and time", async () => {
    const { owner } = await mailsOf(withTheme(theme));
    const plain = (owner?.html ?? "")
      .replace(/<style[\s\S]*?<\/style>|<title>.*<\/title>/g, "")
      .replace(/<br>/g, "⏎")
      .replace(/<[^>]+>/g, "|")
      .replace(/\s+/g, " ")
      .replace(/[| ]*\|[| ]*/g, "|");
    expect(plain).toContain("|New submission|Contact|name|Ada|email|ada@example.com|message|a⏎");
    expect(plain).toContain("|Sent from the form “Contact” on 1 January 2026 at 00:00 UTC.|");
    expect(plain).toContain("|Reply to this email to answer ada@example.com.|");
  });

  test("text on the form's colour can be read, whatever the colour", async () => {
    for (const primary of ["#2563eb", "#ffffff", "#000000", "#facc15", "#777777", "#0f0"]) {
      const { owner } = await mailsOf(withTheme(theme, { primary }));
      const html = owner?.html ?? "";
      if (theme === "formal") expect(html).not.toMatch(/[^-]background:(?!#ffffff|#11151e)/);
      const band = /<td[^>]*bgcolor="(#\w+)"[\s\S]*?<\/td>/.exec(html);
      if (!band) continue;
      for (const [, ink = ""] of band[0].matchAll(/[;"]color:(#\w+)/g))
        expect(contrast(ink, band[1] ?? ""), primary).toBeGreaterThanOrEqual(4.5);
    }
  });

  test("stays under 100 KB of HTML, whatever comes in; the text part keeps all of it", async () => {
    const heavy: { key: string; value: string }[][] = [
      Array.from({ length: 499 }, (_, n) => ({ key: `field ${n}`, value: `value ${n}` })),
      Array.from({ length: 15 }, (_, n) => ({ key: `k${n}`, value: '"'.repeat(64 * 1024) })),
      Array.from({ length: 15 }, (_, n) => ({ key: `k${n}`, value: "😀".repeat(16 * 1024) })),
      [{ key: "message", value: "line\n".repeat(12_000) }],
    ];
    for (const fields of heavy) {
      const { owner, reply } = await mailsOf(
        {
          ...withTheme(theme, { logo: true }),
          auto_response: { enabled: true, template: { theme, message: "{{#fields}}{{value}}\n{{/fields}}" } },
        },
        [{ key: "email", value: "ada@example.com" }, ...fields],
      );
      for (const mail of [owner, reply]) {
        expect(Buffer.byteLength(mail?.html ?? "x".repeat(200_000))).toBeLessThan(100 * 1024);
        for (const { value } of fields.slice(-3)) expect(mail?.text).toContain(value.trim().split("\n").at(-1));
      }
      expect(owner?.html).toContain("plain-text part of this email");
      const total = fields.reduce((sum, { value }) => sum + value.trim().length, 0);
      expect(owner?.text.length).toBeGreaterThan(total);
    }
  });

  test("runs from right to left where the form does", async () => {
    const { owner } = await mailsOf(
      { ...withTheme(theme), name: "نموذج الاتصال" },
      { الاسم: "ليلى", email: "layla@example.com" },
    );
    expect(owner?.html).toContain('dir="rtl" style="max-width:600px;text-align:right"');
    const { owner: latin } = await mailsOf(withTheme(theme));
    expect(latin?.html).toContain('dir="ltr" style="max-width:600px;text-align:left"');
  });
});

test("the two themes are two looks", async () => {
  const [fancy, formal] = await Promise.all(themes.map((theme) => mailsOf(withTheme(theme))));
  expect(fancy?.owner?.html).toContain('bgcolor="#2563eb"');
  expect(formal?.owner?.html).not.toContain('bgcolor="#2563eb"');
  expect(formal?.owner?.html).toContain("Georgia");
});

describe("senders and subjects", () => {
  test("the default, and the form's own name and address", async () => {
    const { owner, reply } = await mailsOf(withTheme("fancy"));
    expect(owner?.from).toEqual({ name: "Example Forms", address: "forms@example.net" });
    expect(reply?.from).toEqual({ name: "Example Forms", address: "forms@example.net" });
    const own = await mailsOf({
      name: "Contact",
      self_email_notification: {
        recipients: ["owner@example.com"],
        sender: { name: "Sales", email: "sales@example.net" },
      },
      auto_response: { enabled: true, from_name: "Ann of Example" },
    });
    expect(own.owner?.from).toEqual({ name: "Sales", address: "sales@example.net" });
    expect(own.reply?.from).toEqual({ name: "Ann of Example", address: "forms@example.net" });
    expect(own.reply?.html).toContain("Ann of Example</h1>");
  });

  test("_subject wins over the form's, tags are filled in, and a line break or an endless value does no harm", async () => {
    const cases: [subject: string, fields: Record<string, string>, expected: string][] = [
      ["New: {{name}} ({{form.name}})", { name: "Ada" }, "New: Ada (Contact)"],
      ["New: {{name}}", { name: "Ada\r\nBcc: x@example.com" }, "New: Ada Bcc: x@example.com"],
      ["{{name}}", { message: "x" }, "New submission: Contact"],
      ["{{name}}", { name: "n".repeat(400) }, `${"n".repeat(299)}…`],
    ];
    for (const [subject, fields, expected] of cases) {
      const { owner } = await mailsOf(
        { name: "Contact", self_email_notification: { recipients: ["owner@example.com"], subject } },
        fields,
      );
      expect(owner?.subject).toBe(expected);
    }
    const backend = closing(harness());
    const form = await backend.forms.create({
      name: "Contact",
      self_email_notification: { recipients: ["owner@example.com"] },
    });
    await backend.post(form.id, "message=hello&_subject=An+offer+for+{{form.name}}");
    await backend.tick();
    expect(backend.mails[0]?.subject).toBe("An offer for {{form.name}}");
    expect(backend.mails[0]?.text).not.toContain("_subject");
  });
});

test("spam is said to be spam where the owner wants to see it", async () => {
  for (const theme of themes) {
    const backend = closing(harness());
    const form = await backend.forms.create({
      name: "Contact",
      self_email_notification: { recipients: ["owner@example.com"], include_spam: true, template: { theme } },
    });
    await backend.post(form.id, "message=hello&_gotcha=filled");
    await backend.post(form.id, "message=hello");
    await backend.tick();
    const notices = backend.mails.map(({ html, text }) =>
      [html, text].map((part) => part.includes("recognized as spam")),
    );
    expect(notices.sort()).toEqual([
      [false, false],
      [true, true],
    ]);
  }
});

describe("custom html", () => {
  const html =
    "<html><head><title>T</title><style>p{color:red}</style></head><body><h1>Hi {{name}}</h1><p>You wrote:<br>{{message}}</p><p><a href='https://example.com/a?b=1&amp;c=2'>Our site</a></p><ul><li>one<li>two</ul></body></html>";

  test("goes out as it is, with the tags filled in; the text part says the same", async () => {
    const { owner, reply } = await mailsOf(
      {
        name: "Contact",
        self_email_notification: { recipients: ["owner@example.com"], template: { html } },
        auto_response: { enabled: true, template: { html } },
      },
      { name: "Ada & <b>", email: "ada@example.com", message: "1 < 2" },
    );
    const filled = html.replace("{{name}}", "Ada &amp; &lt;b&gt;").replace("{{message}}", "1 &lt; 2");
    expect(owner?.html).toBe(filled);
    expect(reply?.html).toBe(filled);
    expect(reply?.text).toBe(
      "Hi Ada & <b>\n\nYou wrote:\n1 < 2\n\nOur site (https://example.com/a?b=1&c=2)\n\n- one\n- two\n",
    );
    expect(owner?.text).toContain("name: Ada & <b>\nemail: ada@example.com\nmessage: 1 < 2\n");
  });
});
