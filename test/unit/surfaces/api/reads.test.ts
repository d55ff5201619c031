import { describe, expect, it } from "vitest";
import { memoryStorage, type StorageDriver } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";

/** A store that counts how often a form's row is read. */
function counted() {
  const inner = memoryStorage();
  const reads = { forms: 0 };
  const storage: StorageDriver = {
    ...inner,
    async get(collection, ids) {
      if (collection === "forms") reads.forms++;
      return inner.get(collection, ids);
    },
  };
  return { storage, reads };
}

const world = async () => {
  const { storage, reads } = counted();
  const b = harness({ storage, rateLimit: false });
  const form = await b.forms.create({
    name: "A",
    self_email_notification: { recipients: ["a@example.com"] },
  });
  const webhook = await b.webhooks.create(form.id, { url: "https://example.com/hook" });
  const submission = await b.submit(form.id, { fields: { a: "1" } });
  await b.tick();
  const cost = async (run: () => Promise<unknown>): Promise<number> => {
    reads.forms = 0;
    await run();
    return reads.forms;
  };
  return { b, form, webhook, submission, cost };
};

describe("a form's row", () => {
  it("is read once by whatever only reads, over HTTP and in process", async () => {
    const { b, form, webhook, submission, cost } = await world();
    const path = `/v1/forms/${form.id}`;
    const read = [
      path,
      `${path}/fields`,
      `${path}/webhooks`,
      `${path}/webhooks/${webhook.id}`,
      `${path}/webhooks/${webhook.id}/deliveries`,
      `${path}/webhooks/${webhook.id}/deliveries/${submission.id}`,
      `${path}/submissions`,
      `${path}/submissions/count`,
      `${path}/submissions/export`,
      `${path}/submissions/${submission.id}`,
    ];
    for (const address of read) {
      const reads = await cost(async () => expect((await b.call("GET", address)).status).toBe(200));
      expect([address, reads]).toEqual([address, 1]);
    }
    expect(await cost(() => b.forms.get(form.id))).toBe(1);
    expect(await cost(() => b.submissions.list(form.id))).toBe(1);
    expect(await cost(() => b.deliveries.list(form.id, webhook.id))).toBe(1);
  });

  it("is read at most twice by a change", async () => {
    const { b, form, webhook, cost } = await world();
    const path = `/v1/forms/${form.id}`;
    const changes: [string, string, object?][] = [
      ["PATCH", path, { name: "B" }],
      ["POST", `${path}/self-email-notification/recipients`, { email: "b@example.com" }],
      ["DELETE", `${path}/self-email-notification/recipients/b@example.com`],
      ["PATCH", `${path}/webhooks/${webhook.id}`, { description: "x" }],
      ["POST", `${path}/webhooks/${webhook.id}/rotate-secret`],
      ["DELETE", `${path}/webhooks/${webhook.id}`],
      ["DELETE", path],
    ];
    for (const [method, address, body] of changes) {
      const reads = await cost(async () => expect((await b.call(method, address, { body })).status).toBe(200));
      expect([method, address, reads]).toEqual([method, address, 1]);
    }
    const other = await b.forms.create({ name: "C" });
    expect(await cost(() => b.forms.update(other.id, { name: "D" }))).toBe(1);
  });

  it("is read again only by who lost a race, whose leaves survive", async () => {
    const { b, form } = await world();
    await Promise.all([
      ...Array.from({ length: 8 }, (_, i) => b.forms.addRecipient(form.id, `r${i}@example.com`)),
      b.forms.update(form.id, { name: "Raced" }),
      b.forms.update(form.id, { active: false }),
    ]);
    const after = await b.forms.get(form.id);
    expect([after.name, after.active, after.self_email_notification.recipients.length]).toEqual(["Raced", false, 9]);
  });

  it("is gone for a change that was let in before it was deleted", async () => {
    const inner = memoryStorage();
    let beforeCommit = async (): Promise<void> => {};
    const b = harness({
      storage: {
        ...inner,
        async commit(writes) {
          await beforeCommit();
          return inner.commit(writes);
        },
      },
    });
    const form = await b.forms.create({ name: "A" });
    beforeCommit = async () => {
      beforeCommit = async () => {};
      await inner.commit([{ op: "remove", collection: "forms", id: form.id }]);
    };
    await expect(b.forms.update(form.id, { name: "B" })).rejects.toMatchObject({ code: "form_not_found", status: 404 });
  });
});
