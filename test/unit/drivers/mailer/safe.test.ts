import { describe, expect, it } from "vitest";
import { safeMail } from "../../../../src/drivers/mailer/_safe.ts";
import type { Mail } from "../../../../src/drivers/mailer/types.ts";

const mail = (more: Partial<Mail>): Mail => ({
  from: { name: "Form Backend", address: "no-reply@example.com" },
  to: { name: "", address: "ann@example.com" },
  subject: "Hello",
  text: "Hello.",
  html: "<p>Hello.</p>",
  messageId: "<msg_1@example.com>",
  date: 0,
  ...more,
});

const breaks = ["\r\n", "\n", "\r", "\v", "\f", "\0", "\u0085", "\u2028", "\u2029"];

describe("a mail as every driver may send it", () => {
  it.each(breaks)("has no %j in any header", (end) => {
    const evil = `a${end}Bcc: eve@example.com`;
    const safe = safeMail(
      mail({
        from: { name: evil, address: "no-reply@example.com" },
        to: { name: evil, address: "ann@example.com" },
        replyTo: { name: evil, address: "bob@example.com" },
        subject: evil,
        messageId: `<${evil}>`,
        headers: { "X-Note": evil, [`X-A${end}Bcc`]: "eve@example.com" },
      }),
    );
    const kept = "a Bcc: eve@example.com";
    expect([safe.from.name, safe.to.name, safe.replyTo?.name, safe.subject]).toEqual([kept, kept, kept, kept]);
    expect(safe.headers).toEqual({ "X-Note": kept });
    expect(safe.messageId).toBe("aBcc:eve@example.com");
  });

  it("has no encoded word, out of which a reader would decode a line break", () => {
    expect(safeMail(mail({ subject: "=?utf-8?q?=0D=0ABcc:_x?=" })).subject).toBe("= ?utf-8?q?=0D=0ABcc:_x?=");
  });

  it.each(["bob@example.com, eve@example.com", "bob", "", "<bob@example.com>"])("has no Reply-To %j", (address) => {
    expect(safeMail(mail({ replyTo: { name: "", address } })).replyTo).toBeUndefined();
  });
});
