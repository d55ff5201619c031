import assert from "node:assert/strict";
import { type MailAddress, MailError } from "../../drivers/mailer/types.ts";
import {
  arrived,
  HOSTILE_RECIPIENTS,
  HOSTILE_VALUES,
  type MailerUnderTest,
  newMail,
  only,
  withMailer,
} from "./mailer-sent.ts";
import type { Suite } from "./suite.ts";

const COPIES = {
  alsoTo: [{ name: "Bo", address: "bo@example.com" }],
  cc: [
    { name: "Cleo, of the office", address: "cleo@example.com" },
    { name: "", address: "cy@example.com" },
  ],
  bcc: [{ name: "Dora", address: "dora@example.com" }],
};
/** The recipients of a mail with these copies. */
const TO_ALL = ["ann@example.com", "bo@example.com", "cleo@example.com", "cy@example.com", "dora@example.com"];

/** The cases of a mailer with `copies`; any other passes them. */
export const copyCases: Suite<MailerUnderTest> = [
  {
    name: "with `copies`, one message goes to all recipients, and no header names those in Bcc",
    async run(create) {
      await withMailer(create, async (mailer) => {
        if (!mailer.driver.copies) return;
        const sent = newMail(COPIES);
        await mailer.driver.send(sent);
        const mail = await only(mailer, sent);
        assert.deepEqual([...mail.recipients].sort(), [...TO_ALL].sort());
        assert.ok(!Object.hasOwn(mail.headers, "bcc"), "Bcc is a header");
        for (const [name, value] of Object.entries(mail.headers)) {
          for (const { address } of COPIES.bcc) assert.ok(!value.includes(address), `${name} names ${address}`);
        }
        if (mail.headers["cc"] !== undefined) {
          for (const { address } of COPIES.cc) assert.ok(mail.headers["cc"].includes(address), "Cc lacks an address");
        }
        const single = newMail();
        await mailer.driver.send(single);
        assert.deepEqual([...(await only(mailer, single)).recipients], [single.to.address]);
      });
    },
  },
  {
    name: "with `copies`, the name of none of them adds a header or a recipient",
    async run(create) {
      await withMailer(create, async (mailer) => {
        if (!mailer.driver.copies) return;
        for (const name of HOSTILE_VALUES) {
          const named = (list: readonly MailAddress[]) => list.map(({ address }) => ({ name, address }));
          const sent = newMail({ alsoTo: named(COPIES.alsoTo), cc: named(COPIES.cc), bcc: named(COPIES.bcc) });
          await mailer.driver.send(sent);
          const mail = await only(mailer, sent);
          const about = JSON.stringify(name.slice(-80));
          assert.deepEqual([...mail.recipients].sort(), [...TO_ALL].sort(), about);
          const names = Object.keys(mail.headers);
          assert.ok(!names.some((header) => /bcc|inject/.test(header)), `${about} made the headers ${names}`);
        }
      });
    },
  },
  {
    name: "with `copies`, one that is not one address is refused for good, and nobody gets the mail",
    async run(create) {
      await withMailer(create, async (mailer) => {
        if (!mailer.driver.copies) return;
        for (const place of ["alsoTo", "cc", "bcc"] as const) {
          for (const address of HOSTILE_RECIPIENTS) {
            const sent = newMail({ ...COPIES, [place]: [...COPIES[place], { name: "", address }] });
            await assert.rejects(mailer.driver.send(sent), (error) => {
              assert.ok(error instanceof MailError, String(error));
              assert.equal(error.code, "ERROR_EMAIL_INVALID_RECIPIENT", `${place}: ${address}`);
              assert.equal(error.temporary, false);
              return true;
            });
            assert.deepEqual(await arrived(mailer, sent), []);
          }
        }
      });
    },
  },
];
