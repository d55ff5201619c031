import { describe, expect, it } from "vitest";
import { memoryBlob } from "../../../../src/drivers/blob/memory.ts";
import { localQueue } from "../../../../src/drivers/queue/local.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { Write } from "../../../../src/drivers/storage/types.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";
import { harness } from "../../../_support/backend.ts";

const hook = "https://hooks.example.com/";
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const sent = { ok: true, code: "SUCCESS", http_status: 200, message: "", duration_ms: 1 } as const;

describe("a worker", () => {
  it("begins once its queue can be listened to, also when the first try failed", async () => {
    const queue = localQueue();
    let tries = 0;
    const backend = createBackend(
      {
        baseUrl: "http://localhost/forms",
        secret: "x".repeat(32),
        storage: memoryStorage(),
        queue: {
          ...queue,
          listen: (onWake) => (tries++ === 0 ? Promise.reject(new Error("not now")) : queue.listen(onWake)),
        },
      },
      { webhookClient: { post: async () => sent, close() {} } },
    );
    await expect(backend.ready()).rejects.toThrow("not now");
    const { id } = await backend.forms.create({ name: "A", self_email_notification: { enabled: false } });
    await backend.webhooks.create(id, { url: hook });
    const delivered = new Promise((resolve) => backend.on("delivery.succeeded", resolve));
    await backend.submit(id, { fields: { a: "1" } });
    await delivered;
    await backend.close();
  });

  it("does not keep a process that is to end while the store is down", async () => {
    const storage = memoryStorage();
    let down = false;
    let refused = 0;
    let triedOnce = (): void => {};
    const tried = new Promise<void>((resolve) => (triedOnce = resolve));
    const backend = createBackend(
      {
        baseUrl: "http://localhost/forms",
        secret: "x".repeat(32),
        logger: silent,
        storage: {
          ...storage,
          async commit(writes) {
            if (!down) return storage.commit(writes);
            refused++;
            triedOnce();
            throw new Error("the disk is gone");
          },
        },
      },
      {
        webhookClient: {
          async post() {
            down = true;
            return sent;
          },
          close() {},
        },
      },
    );
    const { id } = await backend.forms.create({ name: "A", self_email_notification: { enabled: false } });
    await backend.webhooks.create(id, { url: hook });
    await backend.submit(id, { fields: { a: "1" } });
    await tried;
    await backend.close({ graceMs: 1 });
    // Two or three results and one lease; who goes on trying gets to twenty.
    expect(refused).toBeLessThan(10);
  });
});

describe("a result", () => {
  it("of 410 turns the webhook off, also where one of 200 is stored with it", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A", self_email_notification: { enabled: false } });
    const webhook = await b.webhooks.create(id, { url: hook });
    // A first one, or one of the two would wait for the secret to be opened.
    await b.submit(id, { fields: { n: "0" } });
    await b.tick();
    b.answerWebhooks(() => (b.webhookCalls.length === 2 ? 410 : 200));
    await Promise.all([b.submit(id, { fields: { n: "1" } }), b.submit(id, { fields: { n: "2" } })]);
    await b.tick();
    const statuses = (await b.jobs.list({ form_id: id })).map(({ status }) => status);
    expect(statuses.sort()).toEqual(["failed", "succeeded", "succeeded"]);
    expect((await b.webhooks.get(id, webhook.id)).enabled).toBe(false);
  });

  it("lets the content of a form that stores none go, also when that does not work at once", async () => {
    const storage = memoryStorage();
    let faults = 1;
    const isRelease = (write: Write): boolean => write.op === "remove" && write.collection === "transient_submissions";
    const b = harness({
      logger: silent,
      blob: memoryBlob(),
      storage: {
        ...storage,
        commit: async (writes) => {
          if (writes.some(isRelease) && faults-- > 0) throw new Error("away for a moment");
          return storage.commit(writes);
        },
      },
    });
    const form = { name: "A", storage: { store_submissions: false }, self_email_notification: { enabled: false } };
    const { id } = await b.forms.create(form);
    await b.webhooks.create(id, { url: hook });
    await b.submit(id, { fields: { n: "1" } });
    await b.tick();
    const query = { index: "all", equals: {}, order: "asc", limit: 10 } as const;
    expect(await storage.page("transient_submissions", query)).toEqual([]);
  });
});
