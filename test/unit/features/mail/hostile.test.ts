import PostalMime from "postal-mime";
import { beforeAll, describe, expect, test } from "vitest";
import type { Harness } from "../../../_support/backend.ts";
import type { TestSmtpServer } from "../../../_support/smtp.ts";
import { byRecipient, elementsOf, mailing, sharedServer } from "./_mail.ts";

const ATTACK = "Bcc: eve@evil.example";
const BREAKS = [
  "\r\n",
  "\n",
  "\r",
  "\u2028",
  "\u2029",
  "\u0085",
  "\v",
  "\f",
  "\0",
  "%0d%0a",
  "\\r\\n",
  "=0D=0A",
  "=?utf-8?Q?=0D=0A?=",
];
const hostile = [
  ...BREAKS.map((br) => `Hello${br}${ATTACK}`),
  ...BREAKS.slice(0, 2).map((br) => `${br}${br}<script>alert(1)</script>${br}.${br}QUIT`),
  `"><img src=x onerror=alert(1)>`,
  `</td></tr></table><style>*{display:none}</style><form action=//evil.example><input>`,
  `<!-- --!> <![endif]--> ]]>`,
  `a@b.example, c@d.example`,
  `Eve" <eve@evil.example>, "`,
  "{{form.name}} {{#fields}}{{value}}{{/fields}} {{{x",
  "\u202Egnp.exe \u2066x\u2069",
  "\uD800 lone \uDC00",
  "😀".repeat(120),
  "a".repeat(5_000),
  " \t ",
];

/** Header names of every notification, in the order of nodemailer; and one more of a reply. */
const HEADERS = ["content-type", "date", "from", "message-id", "mime-version", "reply-to", "subject", "to"];
const REPLY_HEADERS = [...HEADERS.filter((name) => name !== "reply-to"), "auto-submitted", "x-auto-response-suppress"];

let server: TestSmtpServer;
beforeAll(async () => {
  server = await sharedServer();
});

describe("a corpus of hostile text adds no header, recipient or element", () => {
  for (const theme of ["fancy", "formal"] as const) {
    test(`as values, field names, _subject and the owner's own settings (${theme})`, async () => {
      const backend = mailing(server);
      const expected = await shapesOf(backend, theme, "Ada", "tame@example.com");
      for (const [n, text] of hostile.entries()) {
        const label = JSON.stringify(text.slice(0, 40));
        const found = await shapesOf(backend, theme, text, `ada${n}@example.com`);
        expect(found, label).toEqual(expected);
      }
    });
  }

  /** Sends one submission full of `text`; checks the headers of its two mails and answers the elements of both. */
  async function shapesOf(backend: Harness, theme: "fancy" | "formal", text: string, email: string) {
    const start = server.messages.length;
    const label = JSON.stringify(text.slice(0, 40));
    const line = text.replace(/[\r\n]/g, " ");
    const form = await backend.forms.create({
      name: line.slice(0, 128),
      spam: { protection: false },
      self_email_notification: {
        recipients: ["owner@example.com"],
        template: { theme },
        sender: { name: line.slice(0, 200) },
      },
      auto_response: {
        enabled: true,
        subject: "Re: {{name}}",
        from_name: line.slice(0, 200),
        template: { theme, message: "Hello {{name}}: {{{name}}}" },
      },
    });
    const fields = [
      ["email", email],
      ["name", text],
      [text.slice(0, 200), "x"],
      ["_subject", text],
    ] as [string, string][];
    await backend.post(form.id, new URLSearchParams(fields));
    await backend.tick();
    const mails = byRecipient(server.messages.slice(start));
    expect(Object.keys(mails).sort(), label).toEqual([email, "owner@example.com"].sort());
    const shape = (to: string, headers: readonly string[]): string => {
      const [message, ...more] = mails[to] ?? [];
      expect(more, label).toEqual([]);
      expect(message, label).toMatchObject({
        envelopeFrom: "forms@example.net",
        from: { address: "forms@example.net" },
      });
      expect(
        message?.to.map(({ address }) => address),
        label,
      ).toEqual([to]);
      expect([...(message?.headerNames ?? [])].sort(), label).toEqual([...headers].sort());
      expect(message?.subject, label).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      expect(message?.subject.length, label).toBeLessThanOrEqual(300);
      // Line breaks are text.
      return elementsOf(message?.html ?? "")
        .filter((name) => name !== "br")
        .join(" ");
    };
    expect(mails["owner@example.com"]?.[0]?.replyTo?.address, label).toBe(email);
    return [shape("owner@example.com", HEADERS), shape(email, REPLY_HEADERS)];
  }

  test("as the address to answer: no Reply-To, and no automatic reply to anybody", async () => {
    const backend = mailing(server);
    const form = await backend.forms.create({
      name: "Contact",
      spam: { protection: false },
      self_email_notification: { recipients: ["owner@example.com"] },
      auto_response: { enabled: true },
    });
    for (const text of hostile.filter((one) => one.trim() !== "")) {
      const before = server.messages.length;
      const name = text.length % 2 ? "_replyto" : "email";
      await backend.post(
        form.id,
        new URLSearchParams([
          [name, `a@b.example${text}`],
          ["message", "hello"],
        ]),
      );
      await backend.tick();
      const received = server.messages.slice(before);
      expect(
        received.map(({ recipients }) => recipients),
        JSON.stringify(text),
      ).toEqual([["owner@example.com"]]);
      expect(received[0]?.headerNames).not.toContain("reply-to");
    }
  });

  test("in a custom template, whatever kind of tag shows it", async () => {
    const backend = mailing(server);
    const html =
      '<p title="{{name}}">{{{name}}} {{&name}} {{#fields}}<i>{{key}}{{{value}}}</i>{{/fields}}</p><a href="{{name}}">x</a>';
    const form = await backend.forms.create({
      name: "Contact",
      spam: { protection: false },
      self_email_notification: { recipients: ["owner@example.com"], template: { html } },
    });
    for (const text of hostile) {
      const before = server.messages.length;
      await backend.submit(form.id, { fields: { name: text, other: "x" } });
      await backend.tick();
      const [message] = server.messages.slice(before);
      expect(elementsOf(message?.html ?? ""), JSON.stringify(text)).toEqual(["p", "i", "i", "a"]);
      expect(message?.html).toMatch(/^<p title="[^"]*">[^<]*<i>[^<]*<\/i><i>[^<]*<\/i><\/p><a href="[^"]*">x<\/a>\s*$/);
    }
  });
});

test("MIME: two alternatives, plain text first, in UTF-8, and nothing attached", async () => {
  const backend = mailing(server);
  const form = await backend.forms.create({
    name: "Kontakt – Büro 😀",
    self_email_notification: { recipients: ["owner@example.com"], sender: { name: "Büro „Süd“" } },
  });
  const before = server.messages.length;
  await backend.submit(form.id, { fields: { Größe: "schön ✓", email: "ada@example.com", text: "zwei\nZeilen" } });
  await backend.tick();
  const message = server.messages[before];
  expect(message).toMatchObject({
    subject: "New submission: Kontakt – Büro 😀",
    from: { name: "Büro „Süd“", address: "forms@example.net" },
    replyTo: { address: "ada@example.com" },
  });
  const raw = message?.raw ?? "";
  expect(raw).toMatch(/^Content-Type: multipart\/alternative;/m);
  const types = [...raw.matchAll(/^Content-Type: (text\/\w+); charset=(\S+)/gm)].map(
    ([, type, charset]) => `${type} ${charset}`,
  );
  expect(types).toEqual(["text/plain utf-8", "text/html utf-8"]);
  // RFC 5322, 2.1.1: no line above 998 characters, and each ends with CRLF.
  expect(raw.split("\r\n").every((line) => line.length <= 998 && !/[\r\n]/.test(line))).toBe(true);
  const parsed = await PostalMime.parse(Buffer.from(raw, "latin1"));
  expect(parsed.attachments).toEqual([]);
  expect(parsed.text).toContain("Größe: schön ✓\n");
  expect(parsed.text).toContain("text:\n  zwei\n  Zeilen\n");
  expect(parsed.html).toContain("schön ✓");
});
