import PostalMime from "postal-mime";
import { expect, it } from "vitest";
import { smtpMailer } from "../../../../src/drivers/mailer/smtp.ts";
import { message, world } from "../../../_support/inbound-world.ts";
import { startSmtpServer } from "../../../_support/smtp.ts";

it("a round over a real mail server: question, answer, answer to the answer, with References whole", async () => {
  const server = await startSmtpServer();
  const w = await world({ mailer: smtpMailer(server.url) });
  try {
    const first = await PostalMime.parse(server.messages.at(-1)?.raw ?? "");
    const to = first.replyTo?.[0] as { address: string };
    expect(first.messageId).toBe(`<${w.answer.id}@localhost>`);
    const more = `In-Reply-To: ${first.messageId}\nReferences: ${first.messageId}\n`;
    expect((await w.raw(message(to.address, { text: "And on Sundays?", more }))).result).toBe("stored");
    await w.b.clock.advance(1_000);
    const second = await w.b.messages.send(w.form.id, w.submission.id, { text: "At ten." });
    await w.b.tick();
    const sent = server.messages.find(({ raw }) => raw.includes(second.id));
    const last = await PostalMime.parse(sent?.raw ?? "");
    expect([last.inReplyTo, last.references]).toEqual([
      "<one@example.com>",
      `<${w.answer.id}@localhost> <one@example.com>`,
    ]);
    expect(last.text).toContain("At ten.");
    expect(last.text).toContain("> And on Sundays?");
    expect((await w.thread()).map(({ text }) => text)).toEqual(["At nine.", "And on Sundays?", "At ten."]);
  } finally {
    await w.b.close();
    await server.close();
  }
});
