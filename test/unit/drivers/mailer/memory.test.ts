import { describe, expect, test } from "vitest";
import { recipientsOf } from "../../../../src/drivers/mailer/_safe.ts";
import { memoryMailer } from "../../../../src/drivers/mailer/memory.ts";
import { type Mail, MailError } from "../../../../src/drivers/mailer/types.ts";
import { mailerSuite, type ReceivedMail } from "../../../../src/surfaces/testing/mailer.ts";
import { passes } from "../../../_support/passes.ts";

const received = (mail: Mail): ReceivedMail => ({
  ...mail,
  recipients: recipientsOf(mail),
  headers: Object.fromEntries(Object.entries(mail.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
});

describe("memoryMailer", () => {
  for (const c of mailerSuite) {
    test(c.name, () =>
      passes(
        c.run(() => {
          const driver = memoryMailer();
          return { driver, received: () => driver.sent.map(received) };
        }),
      ),
    );
  }

  test("fails as it is told, and keeps nothing then", async () => {
    const mailer = memoryMailer();
    const mail: Mail = {
      from: { name: "", address: "forms@example.com" },
      to: { name: "", address: "gone@example.com" },
      subject: "Hello",
      text: "Hello",
      html: "",
      messageId: "1@example.com",
      date: 0,
    };
    mailer.fail = ({ to }) =>
      to.address === "gone@example.com"
        ? new MailError("ERROR_EMAIL_SMTP_5XX", "550 gone", { temporary: false, status: 550 })
        : undefined;
    await expect(mailer.send(mail)).rejects.toMatchObject({
      code: "ERROR_EMAIL_SMTP_5XX",
      status: 550,
      temporary: false,
    });
    await mailer.send({ ...mail, to: { name: "", address: "here@example.com" } });
    expect(mailer.sent.map(({ to }) => to.address)).toEqual(["here@example.com"]);
  });
});
