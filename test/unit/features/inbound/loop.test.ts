import { expect, it } from "vitest";
import type { Mail } from "../../../../src/index.ts";
import { world } from "../../../_support/inbound-world.ts";

type World = Awaited<ReturnType<typeof world>>;

/** A mail of ours as a mail server hands it on. */
const handedOn = ({ from, to, subject, messageId, headers = {}, text }: Mail): string =>
  `From: ${from.address}
To: ${to.address}
Subject: ${subject.replaceAll(/[^\x20-\x7e]/g, "?")}
Message-ID: <${messageId}>
${Object.entries(headers)
  .map(([name, value]) => `${name}: ${value}\n`)
  .join("")}Content-Type: text/plain; charset=utf-8

${text}
`;

/** A program that answers each mail that it gets, once: to the address at which the mail asks to be answered. */
const vacation = ({ from, to, replyTo, messageId }: Mail, n: number): string =>
  `From: ${to.address}
To: ${(replyTo ?? from).address}
Subject: Out of office
Message-ID: <vacation${n}@example.com>
In-Reply-To: <${messageId}>
Auto-Submitted: auto-replied
Content-Type: text/plain; charset=utf-8

I am away until Monday.
`;

const MOST_ROUNDS = 20;

it("two backends whose copies go to each other's conversations end after one", async () => {
  const one = await world();
  const two = await world({ secret: "the secret of the other backend, long enough" });
  const sides: readonly [World, World][] = [
    [one, two],
    [two, one],
  ];
  for (const [side, other] of sides)
    await side.b.forms.update(side.form.id, { self_email_notification: { recipients: [other.reply] } });
  const passed: Record<string, number> = { one: one.b.mails.length, two: two.b.mails.length };
  await one.raw(`From: ann@example.com\nTo: ${one.reply}\nMessage-ID: <ann@example.com>\n\nAnd on Sundays?\n`);
  let rounds = 0;
  for (let isQuiet = false; !isQuiet && rounds < MOST_ROUNDS; rounds++) {
    isQuiet = true;
    for (const [side, other] of sides) {
      await side.b.tick();
      const name = side === one ? "one" : "two";
      for (const mail of side.b.mails.slice(passed[name])) {
        isQuiet = false;
        expect(mail.to.address).toBe(other.reply);
        expect((await other.raw(handedOn(mail))).result).toBe("stored");
      }
      passed[name] = side.b.mails.length;
    }
  }
  expect(rounds).toBeLessThan(MOST_ROUNDS);
  // Ann's mail, and its copy in the other one, of which nothing follows.
  expect([(await one.thread()).length, (await two.thread()).length]).toEqual([2, 2]);
  expect(passed).toEqual({ one: 3, two: 2 });
});

it("our automatic reply and a vacation answer end after one of each", async () => {
  const w = await world();
  await w.b.forms.update(w.form.id, { auto_response: { enabled: true } });
  await w.b.submit(w.form.id, { fields: { email: "ann@example.com", text: "Hello?" } });
  let seen = w.b.mails.length;
  const sent: string[] = [];
  let rounds = 0;
  for (let isQuiet = false; !isQuiet && rounds < MOST_ROUNDS; rounds++) {
    await w.b.tick();
    const mails = w.b.mails.slice(seen).filter(({ to }) => to.address === "ann@example.com");
    seen = w.b.mails.length;
    isQuiet = mails.length === 0;
    for (const mail of mails) {
      sent.push(mail.subject);
      // A program that answers everything, whatever the mail says of itself.
      await w.raw(vacation(mail, sent.length));
    }
  }
  expect(rounds).toBe(2);
  expect(sent).toHaveLength(1);
});
