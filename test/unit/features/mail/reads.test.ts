import { expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { harness } from "../../../_support/backend.ts";

it("the mails of a claim read their form, team and email server together", async () => {
  const storage = memoryStorage();
  const reads = new Map<string, number>();
  let claims = 0;
  const b = harness({
    rateLimit: false,
    storage: {
      ...storage,
      async claim(query) {
        const answer = await storage.claim(query);
        if (answer.jobs.length > 0) claims++;
        return answer;
      },
      get(collection, ids) {
        reads.set(collection, (reads.get(collection) ?? 0) + 1);
        return storage.get(collection, ids);
      },
    },
  });
  const { id: server_id } = await b.emailServers.create({
    name: "Ours",
    host: "smtp.example.com",
    port: 587,
    from: "team@customer.test",
  });
  const recipients = Array.from({ length: 10 }, (_, n) => `owner${n}@customer.test`);
  const { id } = await b.forms.create({
    name: "A",
    spam: { protection: false },
    self_email_notification: { recipients, sender: { server_id } },
  });
  for (let n = 0; n < 20; n++) await b.submit(id, { fields: { n: String(n) } });
  reads.clear();
  await b.tick();
  expect(b.mails).toHaveLength(200);
  expect(b.mails.every(({ from }) => from.address === "team@customer.test")).toBe(true);
  expect(claims).toBeLessThanOrEqual(10);
  for (const collection of ["forms", "teams", "email_servers"])
    expect(reads.get(collection), collection).toBeLessThanOrEqual(claims);
});
