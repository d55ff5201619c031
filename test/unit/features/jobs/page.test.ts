import { describe, expect, it } from "vitest";
import { put } from "../../../../src/core/rows.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import type { JobList, JobsPageQuery } from "../../../../src/index.ts";
import type { JobRecord } from "../../../../src/model/jobs.ts";
import { harness } from "../../../_support/backend.ts";

describe.each<[string, () => StorageDriver]>([
  ["memory", memoryStorage],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
])("the deliveries of a form by cursor, in %s", (_, storageOf) => {
  const world = async () => {
    const storage = storageOf();
    const b = harness({ storage, rateLimit: false });
    const form = await b.forms.create({ name: "A", self_email_notification: { recipients: ["owner@example.com"] } });
    const webhook = await b.webhooks.create(form.id, { url: "https://example.com/" });
    return { storage, b, form, webhook };
  };

  it("are all there, newest first, without gap or repeat, also while more arrive", async () => {
    const { b, form } = await world();
    const other = await b.forms.create({ name: "B", self_email_notification: { recipients: ["owner@example.com"] } });
    for (let i = 0; i < 6; i++) {
      await b.submit(form.id, { fields: { text: `number ${i}` } });
      await b.submit(other.id, { fields: { text: `number ${i}` } });
      await b.clock.advance(i % 2 ? 1_000 : 0);
    }
    const all = (await b.jobs.list({ form_id: form.id })).map(({ id }) => id);
    expect(all).toHaveLength(12);
    const seen = async (query: JobsPageQuery): Promise<string[]> => {
      const found: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page: JobList = await b.jobs.page({ ...query, ...(cursor && { cursor }) });
        expect(page.has_more).toBe(page.next_cursor !== null);
        found.push(...page.data.map(({ id }) => id));
        cursor = page.next_cursor;
        if (cursor) await b.submit(form.id, { fields: { text: `later ${found.length}` } });
      }
      return found;
    };
    expect(await seen({ form_id: form.id, limit: 5 })).toEqual(all);
    const webhooks = (await b.jobs.list({ form_id: form.id, kind: "webhook" })).map(({ id }) => id);
    expect(await seen({ form_id: form.id, kind: "webhook", limit: 2 })).toEqual(webhooks);
  });

  it("narrow by status and submission, and show each as `get` does", async () => {
    const { b, form, webhook } = await world();
    const { id } = await b.submit(form.id, { fields: { text: "one" } });
    await b.tick();
    await b.submit(form.id, { fields: { text: "two" } });
    const sent = await b.jobs.page({ form_id: form.id, kind: "webhook", status: "succeeded" });
    expect(sent).toMatchObject({ data: [{ submission_id: id, target: webhook.id }], has_more: false });
    expect(await b.jobs.get(sent.data[0]?.id as string)).toEqual(sent.data[0]);
    const { data } = await b.jobs.page({ form_id: form.id, submission_id: id });
    expect(data.map(({ kind }) => kind).sort()).toEqual(["owner_email", "webhook"]);
    const other = await b.forms.create({ name: "B" });
    expect((await b.jobs.page({ form_id: other.id, submission_id: id })).data).toEqual([]);
    await b.forms.delete(form.id);
    expect((await b.jobs.page({ form_id: form.id })).data).toHaveLength(4);
  });

  it("look at 2,000 a call, and the cursor leads on to the one that matches", async () => {
    const { b, form, storage } = await world();
    const { id } = await b.submit(form.id, { fields: { text: "one" } });
    await b.tick();
    const [job] = await b.jobs.list({ submission_id: id, kind: "webhook" });
    const row = (await storage.get("jobs", [job?.id as string])).get(job?.id as string)?.value as unknown as JobRecord;
    await b.clock.advance(1_000);
    const created_at = new Date(b.clock.now()).toISOString();
    const many = (from: number) =>
      Array.from({ length: 700 }, (_, i) =>
        put("jobs", `job_${from + i}`, { ...row, kind: "owner_email", created_at }, null),
      );
    for (let from = 0; from < 2_100; from += 700) await storage.commit(many(from));
    const first = await b.jobs.page({ form_id: form.id, status: "succeeded", kind: "webhook" });
    expect(first).toMatchObject({ data: [], has_more: true });
    const next = await b.jobs.page({
      form_id: form.id,
      status: "succeeded",
      kind: "webhook",
      cursor: first.next_cursor as string,
    });
    expect(next).toMatchObject({ data: [{ submission_id: id }], has_more: false });
  });

  it.each([
    ["a cursor of another query", "cursor"],
    ["a limit of 0", "limit"],
    ["a limit of 101", "limit"],
    ["no form", "form_id"],
    ["a misspelt member", "stauts"],
  ])("refuse %s", async (what, param) => {
    const { b, form } = await world();
    await b.submit(form.id, { fields: { text: "one" } });
    const { next_cursor: cursor } = await b.jobs.page({ form_id: form.id, limit: 1 });
    const queries: Record<string, object> = {
      "a cursor of another query": { form_id: form.id, status: "failed", cursor },
      "a limit of 0": { form_id: form.id, limit: 0 },
      "a limit of 101": { form_id: form.id, limit: 101 },
      "no form": {},
      "a misspelt member": { form_id: form.id, stauts: "failed" },
    };
    await expect(b.jobs.page(queries[what] as JobsPageQuery)).rejects.toMatchObject({
      code: "invalid_parameter",
      param,
    });
  });
});
