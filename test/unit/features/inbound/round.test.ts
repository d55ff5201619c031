import { simpleParser } from "mailparser";
import PostalMime from "postal-mime";
import { expect, it } from "vitest";
import { smtpMailer } from "../../../../src/drivers/mailer/smtp.ts";
import { DOMAIN, world } from "../../../_support/inbound-world.ts";
import { startSmtpServer } from "../../../_support/smtp.ts";

/** A mail as two parsers read it, which must agree. */
async function read(raw: string) {
  const [one, two] = await Promise.all([PostalMime.parse(raw), simpleParser(raw)]);
  const references = [two.references ?? []].flat().join(" ");
  expect([two.messageId, two.inReplyTo, references, two.subject, two.text?.trim()]).toEqual([
    one.messageId,
    one.inReplyTo,
    one.references ?? "",
    one.subject,
    one.text?.trim(),
  ]);
  expect(two.replyTo?.value[0]?.address).toBe(one.replyTo?.[0]?.address);
  expect(String(two.html).trim()).toBe(one.html?.trim());
  return one;
}

/** A mail that a visitor's program writes back, with a file. */
const back = (to: string, answered: string, references: string): string =>
  `From: Ann <ann@example.com>
To: ${to}
Subject: Re: Contact
Message-ID: <one@example.com>
In-Reply-To: ${answered}
References: ${references}
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain; charset=utf-8

And on Sundays?
--b
Content-Type: text/plain; name="order.txt"
Content-Disposition: attachment; filename="order.txt"
Content-Transfer-Encoding: base64

${Buffer.from("Two cakes").toString("base64")}
--b--
`;

it("a round over a real mail server: question, answer, answer to the answer with a file, with References whole", async () => {
  const server = await startSmtpServer();
  const w = await world({ mailer: smtpMailer(server.url) });
  try {
    const first = await read(server.messages.at(-1)?.raw ?? "");
    const to = first.replyTo?.[0]?.address ?? "";
    expect(to).toMatch(new RegExp(`^reply\\+[^@]+@${DOMAIN}$`));
    expect(first.messageId).toBe(`<${w.answer.id}@localhost>`);
    expect((await w.raw(back(to, first.messageId ?? "", first.messageId ?? ""))).result).toBe("stored");
    await w.b.clock.advance(1_000);
    const [, received] = await w.thread();
    expect(received?.attachments.map(({ name, size }) => [name, size])).toEqual([["order.txt", 9]]);
    const file = new URL(received?.attachments[0]?.url ?? "").pathname.split("/").at(-2) ?? "";
    const second = await w.b.messages.send(w.form.id, w.submission.id, { text: "At ten.", attachments: [file] });
    await w.b.tick();
    const sent = server.messages.find(({ raw }) => raw.includes(second.id));
    const last = await read(sent?.raw ?? "");
    expect([last.inReplyTo, last.references]).toEqual([
      "<one@example.com>",
      `<${w.answer.id}@localhost> <one@example.com>`,
    ]);
    expect(last.text).toContain("At ten.");
    expect(last.text).toContain("> And on Sundays?");
    expect(last.text).toContain(`/files/${file}/order.txt`);
    expect((await w.thread()).map(({ direction, text }) => [direction, text])).toEqual([
      ["out", "At nine."],
      ["in", "And on Sundays?"],
      ["out", "At ten."],
    ]);
  } finally {
    await w.b.close();
    await server.close();
  }
});
