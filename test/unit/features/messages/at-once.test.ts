import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { harness } from "../../../_support/backend.ts";

it("answers of a team that are sent at once are counted together, and none is refused below the limit", async () => {
  const storage = memoryStorage();
  let counted = 0;
  const slow: typeof storage = {
    ...storage,
    async commit(writes) {
      // A busy database: every other answer has read the count before this one is stored.
      await pause(30);
      if (writes.some((write) => write.op === "put" && write.id.startsWith("replies:"))) counted++;
      await storage.commit(writes);
    },
  };
  const b = harness({ rateLimit: false, from: "Acme <forms@acme.test>", storage: slow });
  const form = await b.forms.create({ name: "Contact", self_email_notification: { enabled: false } });
  const ids = await Promise.all(
    Array.from({ length: 110 }, (_, n) => b.submit(form.id, { fields: { email: `a${n}@example.com` } })),
  );
  const answers = await Promise.allSettled(ids.map(({ id }) => b.messages.send(form.id, id, { text: "Yes" })));
  const codes = answers.map((one) => (one.status === "fulfilled" ? "sent" : one.reason.code)).sort();
  expect(codes).toEqual([...Array(10).fill("rate_limited"), ...Array(100).fill("sent")]);
  expect(counted).toBeLessThan(10);
});
