import { expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { harness } from "../../../_support/backend.ts";

it("jobs.list reads nothing that is older than `since`, and nothing of another status", async () => {
  const storage = memoryStorage();
  let read = 0;
  const spied = {
    ...storage,
    page: async (...args: Parameters<typeof storage.page>) => {
      const rows = await storage.page(...args);
      if (args[0] === "jobs") read += rows.length;
      return rows;
    },
  };
  const b = harness({ storage: spied });
  const { id } = await b.forms.create({ name: "A", spam: { protection: false } });
  await b.webhooks.create(id, { url: "https://hooks.example.com/" });
  for (let n = 0; n < 1_000; n++) await b.submit(id, { fields: { n: String(n) } });
  await b.clock.advance(60_000);
  const since = new Date(b.clock.now()).toISOString();
  const { id: latest } = await b.submit(id, { fields: { n: "latest" } });
  const all = await b.jobs.list({ form_id: id, since });
  expect(all.map(({ submission_id }) => submission_id)).toEqual([latest]);
  const old = await b.jobs.list();
  expect(old.length).toBe(1_000);

  read = 0;
  expect(await b.jobs.list({ status: "failed", since })).toEqual([]);
  expect(read).toBeLessThan(500);
  read = 0;
  expect(await b.jobs.list({ status: "failed" })).toEqual([]);
  expect(read).toBe(0);
  await expect(b.jobs.list({ since: "yesterday" })).rejects.toMatchObject({ param: "since" });
});

it("jobs.list and jobs.page read nothing of a form's other states", async () => {
  const storage = memoryStorage();
  let read = 0;
  const b = harness({
    storage: {
      ...storage,
      page: async (...args) => {
        const rows = await storage.page(...args);
        if (args[0] === "jobs") read += rows.length;
        return rows;
      },
    },
  });
  const { id } = await b.forms.create({ name: "A", spam: { protection: false } });
  const { id: other } = await b.forms.create({ name: "B", spam: { protection: false } });
  for (const form of [id, other]) await b.webhooks.create(form, { url: `https://hooks.example.com/${form}` });
  for (let n = 0; n < 300; n++) await b.submit(id, { fields: { n: String(n) } });
  await b.tick();
  b.answerWebhooks(410);
  for (const form of [id, other]) await b.submit(form, { fields: { n: "late" } });
  await b.tick();

  read = 0;
  const failed = await b.jobs.list({ form_id: id, status: "failed" });
  expect(failed.map(({ form_id, status }) => [form_id, status])).toEqual([[id, "failed"]]);
  expect((await b.jobs.page({ form_id: id, status: "failed" })).data).toEqual(failed);
  expect(await b.jobs.list({ form_id: id, status: "retrying", since: new Date(0).toISOString() })).toEqual([]);
  expect(read).toBe(2);
  expect((await b.jobs.list({ form_id: id })).length).toBe(301);
});
