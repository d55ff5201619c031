import { describe, expect, test, vi } from "vitest";
import { logMailer } from "../../../../src/drivers/mailer/log.ts";
import type { Mail } from "../../../../src/drivers/mailer/types.ts";
import { mailerSuite, type ReceivedMail } from "../../../../src/surfaces/testing/mailer.ts";
import { passes } from "../../../_support/passes.ts";

const MAIL: Mail = {
  from: { name: "Contact form", address: "forms@example.com" },
  to: { name: "", address: "ann@example.com" },
  subject: "New submission",
  text: "name: \u001b[31mBo\u001b[0m\r\nbell: \u0007",
  html: "<p>name: Bo</p>",
  messageId: "1@example.com",
  date: 0,
};

/** The parts of a list of addresses, whose quoted names may have commas. */
const mailboxesOf = (text = ""): string[] => text.match(/(?:"[^"]*"|[^",])+/g)?.map((one) => one.trim()) ?? [];

function parse(printed: string): ReceivedMail {
  const end = printed.indexOf("\n\n");
  const [, ...lines] = printed.slice(0, end).split("\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  );
  const mailbox = (text = "") => {
    const [, name, address] = /^(?:"?(.*?)"? <)?([^<>]*)>?$/su.exec(text) ?? [];
    return { name: name ?? "", address: address ?? "" };
  };
  // Nobody gets what is printed, so it shows those in Bcc too.
  const { bcc, ...seen } = headers;
  return {
    from: mailbox(headers.from),
    recipients: [headers.to, headers.cc, bcc].flatMap((text) => mailboxesOf(text).map((one) => mailbox(one).address)),
    replyTo: headers["reply-to"] === undefined ? undefined : mailbox(headers["reply-to"]),
    subject: headers.subject ?? "",
    text: printed.slice(end + 2),
    messageId: headers["message-id"]?.slice(1, -1) ?? "",
    headers: seen,
  };
}

describe("logMailer", () => {
  for (const c of mailerSuite) {
    test(c.name, () =>
      passes(
        c.run(() => {
          const printed: string[] = [];
          return {
            driver: logMailer({ info: (message) => printed.push(message) }),
            received: () => printed.map(parse),
          };
        }),
      ),
    );
  }

  test("prints one readable block, in which a visitor's escape sequences do nothing", async () => {
    const info = vi.fn();
    await logMailer({ info }).send(MAIL);
    expect(info.mock.calls).toEqual([
      [
        [
          "mail, printed and not sent",
          "From: Contact form <forms@example.com>",
          "To: ann@example.com",
          "Subject: New submission",
          "Message-ID: <1@example.com>",
          "",
          "name: \uFFFD[31mBo\uFFFD[0m",
          "bell: \uFFFD",
        ].join("\n"),
      ],
    ]);
  });

  test("prints to standard output by default", async () => {
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    await logMailer().send(MAIL);
    const printed = write.mock.calls.map(([text]) => String(text)).join("");
    write.mockRestore();
    expect(printed).toContain("Subject: New submission\n");
  });
});
