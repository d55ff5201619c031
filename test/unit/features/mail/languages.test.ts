import { describe, expect, it } from "vitest";
import ar from "../../../../src/texts/locales/ar.ts";
import de from "../../../../src/texts/locales/de.ts";
import ja from "../../../../src/texts/locales/ja.ts";
import type { Harness } from "../../../_support/backend.ts";
import type { SmtpMessage } from "../../../_support/smtp.ts";
import { mailing, sharedServer } from "./_mail.ts";

const server = await sharedServer();
const locales = [de, ja, ar];
const open = (options: object = {}): Harness => mailing(server, {}, { locales, ...options });

/** A form that notifies and replies, in every theme the same. */
const FORM = {
  name: "Kontakt",
  self_email_notification: { recipients: ["owner@example.com"] },
  auto_response: { enabled: true },
};

/** The mails to the owner and to the visitor that one post causes. */
async function mailsOf(b: Harness, settings: object, fields: Record<string, string>): Promise<SmtpMessage[]> {
  const { id } = await b.forms.create({ ...FORM, settings });
  const before = server.messages.length;
  await b.submit(id, { fields: { email: "ada@example.com", ...fields } });
  await b.tick();
  const found = server.messages.slice(before);
  return ["owner@example.com", "ada@example.com"].map(
    (to) => found.find(({ recipients }) => recipients[0] === to) as SmtpMessage,
  );
}

const head = (html: string): string => /<html[^>]*>/.exec(html)?.[0] ?? "";

describe("mails in the form's language, over SMTP", () => {
  it.each([
    {
      language: "de",
      dir: "ltr",
      subject: "Neue Einsendung: Kontakt",
      footer: "Gesendet mit dem Formular „Kontakt“ am 1. Januar 2026 um 00:00 UTC.",
      answer: "Mit einer Antwort auf diese E-Mail schreiben Sie an ada@example.com.",
      reply: "Vielen Dank für Ihre Nachricht",
      message: "Wir haben Ihre Nachricht erhalten und melden uns bei Ihnen.",
    },
    {
      language: "ja",
      dir: "ltr",
      subject: "新しい送信: Kontakt",
      footer: "フォーム「Kontakt」から 2026年1月1日 00:00 UTC に送信されました。",
      answer: "このメールに返信すると、ada@example.com に届きます。",
      reply: "お問い合わせありがとうございます",
      message: "メッセージを受け取りました。",
    },
    {
      language: "ar",
      dir: "rtl",
      subject: "إرسال جديد: Kontakt",
      footer: "أُرسل من النموذج «\u2068Kontakt\u2069»",
      answer: "للرد على \u2068ada@example.com\u2069 يكفي الرد على هذه الرسالة.",
      reply: "شكرًا على رسالتكم",
      message: "لقد استلمنا رسالتكم وسنرد عليكم.",
    },
  ])("$language", async ({ language, dir, subject, footer, answer, reply, message }) => {
    const [owner, visitor] = await mailsOf(open(), { language }, { message: "Hallo" });
    expect(owner?.subject).toBe(subject);
    expect(visitor?.subject).toBe(reply);
    for (const mail of [owner, visitor]) {
      expect(head(mail?.html ?? "")).toBe(`<html lang="${language}" dir="${dir}">`);
      expect(mail?.html).toContain(`dir="${dir}" style="max-width:600px`);
      expect(mail?.text).not.toMatch(/submission|received|reply to/i);
      // Visitors' values still run in their own direction.
      expect(mail?.html).toContain('dir="auto"');
    }
    for (const part of [owner?.text, owner?.html]) {
      expect(part).toContain(footer);
      expect(part).toContain(answer);
    }
    expect(visitor?.text).toContain(message);
    expect(visitor?.html).toContain(message);
  });

  it("auto: the reply follows the visitor, the notification the option `language`", async () => {
    const [owner, visitor] = await mailsOf(open({ language: "de" }), {}, { _language: "ar" });
    expect(owner?.subject).toBe("Neue Einsendung: Kontakt");
    expect(owner?.text).not.toContain("_language");
    expect(visitor?.subject).toBe("شكرًا على رسالتكم");
    const [english, plain] = await mailsOf(open(), {}, { _language: "tlh" });
    expect(english?.subject).toBe("New submission: Kontakt");
    expect(plain?.subject).toBe("Thank you for your message");
  });

  it("leaves what the form says in its own words", async () => {
    const b = open();
    const { id } = await b.forms.create({
      ...FORM,
      self_email_notification: { ...FORM.self_email_notification, subject: "Ping {{form.name}}" },
      auto_response: { enabled: true, subject: "Danke", template: { message: "Bis bald." } },
      settings: { language: "ja" },
    });
    const before = server.messages.length;
    await b.submit(id, { fields: { email: "ada@example.com" } });
    await b.tick();
    const found = server.messages.slice(before);
    expect(found.map(({ subject }) => subject).sort()).toEqual(["Danke", "Ping Kontakt"]);
    expect(found.find(({ subject }) => subject === "Danke")?.text).toContain("Bis bald.");
  });

  it("shows labels in place of field names", async () => {
    const [owner] = await mailsOf(open(), { language: "de", labels: { msg: "Ihre Nachricht" } }, { msg: "Hallo" });
    expect(owner?.text).toContain("Ihre Nachricht: Hallo");
    expect(owner?.html).not.toContain(">msg<");
  });

  it("tests a mail in the form's language, marked as one", async () => {
    const b = open();
    const { id } = await b.forms.create({ ...FORM, settings: { language: "ar" } });
    const before = server.messages.length;
    for (const kind of ["self_email_notification", "auto_response"] as const)
      await b.forms.sendTestEmail(id, { kind, to: `${kind}@example.com` });
    const [owner, reply] = server.messages.slice(before);
    expect(owner?.subject).toBe("[تجربة] إرسال جديد: Kontakt");
    expect(reply?.subject).toBe("[تجربة] شكرًا على رسالتكم");
    expect(owner?.text.startsWith("هذه رسالة تجريبية.")).toBe(true);
    expect(owner?.html).toContain('<div dir="rtl" style="display:block!important');
  });

  it("asks a recipient in the form's language", async () => {
    const b = open({ confirmRecipients: true });
    const { id } = await b.forms.create({ ...FORM, auto_response: { enabled: false }, settings: { language: "de" } });
    const before = server.messages.length;
    await b.submit(id, { fields: { message: "Hallo" } });
    await b.tick();
    await b.tick();
    const [asked] = server.messages.slice(before);
    expect(asked?.subject).toBe("Möchten Sie E-Mails über Einsendungen eines Formulars?");
    expect(asked?.text).toContain("bestätigen Sie innerhalb von 7 Tagen:");
    expect(asked?.html).toContain("Diese Adresse bestätigen");
    const path = /\/c\/recipient\/\S+/.exec(asked?.text ?? "")?.[0] ?? "";
    const page = await b.call("GET", path, { key: null, headers: { "accept-language": "ar-EG, de;q=0.5" } });
    expect(page.text).toContain('<html lang="ar" dir="rtl"');
    expect(page.text).toContain("ستصل إلى \u2068owner@example.com\u2069 رسالة عند كل إرسال للنموذج.");
    expect(page.headers.get("content-language")).toBe("ar");
    expect(page.headers.get("vary")).toBe("Accept-Language");
    expect((await b.call("GET", `${path}x`, { key: null, headers: { "accept-language": "ja" } })).text).toContain(
      "このリンクは無効です",
    );
  });
});

describe("the texts that a form is made with", () => {
  it("are those of the English catalogue, by which they are known to be untouched", async () => {
    const { english } = await import("../../../../src/texts/locales/_languages.ts");
    const b = open();
    const { self_email_notification, auto_response, after_submit } = await b.forms.create({ name: "A" });
    expect(self_email_notification.subject).toBe(english.defaults.owner_subject({ form: "{{form.name}}" }));
    expect(auto_response.subject).toBe(english.defaults.reply_subject());
    expect(auto_response.template.message).toBe(english.defaults.reply_message());
    expect(after_submit.page.headline).toBe(english.defaults.headline());
    expect(after_submit.page.message).toBe(english.defaults.message());
    expect(after_submit.page.return_button.text).toBe(english.defaults.return());
  });
});
