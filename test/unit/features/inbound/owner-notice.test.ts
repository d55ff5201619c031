import { describe, expect, it } from "vitest";
import { world } from "../../../_support/inbound-world.ts";

const report = (id: string, status = "5.1.1") => `From: MAILER-DAEMON@mx.example.com
To: forms@acme.test
Return-Path: <>
Message-ID: <${id.slice(0, 20)}-${Math.random()}@mx>
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: text/plain

Not delivered.
--b
Content-Type: message/delivery-status

Final-Recipient: rfc822; owner@acme.test
Action: failed
Status: ${status}
Diagnostic-Code: smtp; 550 owner@acme.test is no user here

--b
Content-Type: text/rfc822-headers

Message-ID: <${id}>
--b--
`;

/** A form with two recipients; `bounce` reports that the notification to the first of them came back. */
async function owners(recipients = ["owner@acme.test", "second@acme.test"]) {
  const w = await world();
  const { b, form } = w;
  await b.forms.update(form.id, { self_email_notification: { recipients } });
  const before = b.mails.length;
  await b.submit(form.id, { fields: { email: "ann@example.com", text: "Again" } });
  await b.tick();
  const mail = b.mails.slice(before).find(({ to }) => to.address === "owner@acme.test");
  const first = mail?.messageId.split("@", 1)[0] ?? "";
  expect(first).not.toBe("");
  return {
    ...w,
    first,
    bounce: async (id: string, status?: string) => {
      expect((await w.raw(report(`${id}@localhost`, status))).result).toBe("bounced");
      await b.tick();
    },
    told: () => b.mails.filter(({ subject }) => /comes back/.test(subject)),
  };
}

describe("the address of an owner that takes no mail", () => {
  it("is told to another owner, once a day, without the address in the server's words", async () => {
    const w = await owners();
    await w.bounce(w.first);
    expect(w.told()).toHaveLength(1);
    const [mail] = w.told();
    expect(mail).toMatchObject({ to: { address: "second@acme.test" }, subject: "Mail to owner@acme.test comes back" });
    expect(mail?.headers).toMatchObject({ "Auto-Submitted": "auto-generated" });
    expect(mail?.text).toContain("Nothing more is sent to this address");
    expect(mail?.text).not.toContain("owner@acme.test is no user here");
    await w.bounce(w.first);
    expect(w.told()).toHaveLength(1);
    await w.b.clock.advance(25 * 3_600_000);
    await w.bounce(w.first);
    expect(w.told()).toHaveLength(2);
  });

  it("is told to the owner of the team before others", async () => {
    const w = await owners();
    await w.b.teams.update("default", { owner: { email: "boss@acme.test" } });
    await w.bounce(w.first);
    expect(w.told().map(({ to }) => to.address)).toEqual(["boss@acme.test"]);
  });

  it("is told to nobody who takes no mail either, nor where nobody else is", async () => {
    const suppressed = await owners();
    await suppressed.b.suppressions.add({ email: "second@acme.test" });
    await suppressed.bounce(suppressed.first);
    expect(suppressed.told()).toEqual([]);
    const alone = await owners(["owner@acme.test"]);
    await alone.bounce(alone.first);
    expect(alone.told()).toEqual([]);
  });

  it("is not told of a soft bounce, nor of a visitor's address", async () => {
    const w = await owners();
    await w.bounce(w.first, "4.2.2");
    expect(w.told()).toEqual([]);
    await w.bounce(w.answer.id);
    expect((await w.b.suppressions.list()).data.map(({ email }) => email)).toEqual(["ann@example.com"]);
    expect(w.told()).toEqual([]);
  });
});
