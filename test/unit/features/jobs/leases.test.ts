import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { ClaimQuery, StorageDriver } from "../../../../src/drivers/storage/types.ts";
import type { WebhookClient } from "../../../../src/features/webhooks/request.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";

const base = { baseUrl: "http://localhost/forms", secret: "x".repeat(32) };
const claim: ClaimQuery = { lane: "webhook", leaseMs: 60_000, limit: 10, exclude: [], perTarget: 8 };

async function submitted(storage: StorageDriver, post: WebhookClient["post"], options: object = {}) {
  const backend = createBackend({ ...base, ...options, storage }, { webhookClient: { post, close() {} } });
  const { id } = await backend.forms.create({ name: "A", self_email_notification: { enabled: false } });
  await backend.webhooks.create(id, { url: "https://hooks.example.com/" });
  await backend.submit(id, { fields: { a: "1" } });
  return backend;
}

const stoppable: WebhookClient["post"] = (_url, _request, signal) =>
  new Promise((resolve) => {
    signal?.addEventListener("abort", () =>
      resolve({ ok: false, code: "ERROR_WEBHOOK_INTERNAL", message: "stopped", duration_ms: 1 }),
    );
  });

describe("a lease", () => {
  it.each([
    [undefined, 60_000, 180_000],
    [500, 2_000, 6_000],
  ])(
    "is four times what an attempt may take (%s ms), three of them for a batch, and 120 s for a mail",
    async (timeoutMs, leaseMs, batchMs) => {
      const leases = new Map<string, Set<number>>();
      const storage = memoryStorage();
      const watched: StorageDriver = {
        ...storage,
        claim(query) {
          // A claim of nothing only asks for the store's time.
          if (query.limit > 0) leases.set(query.lane, (leases.get(query.lane) ?? new Set()).add(query.leaseMs));
          return storage.claim(query);
        },
      };
      const webhooks = timeoutMs === undefined ? {} : { webhooks: { timeoutMs } };
      const backend = createBackend({ ...base, ...webhooks, storage: watched, work: false });
      await backend.tick();
      await backend.close();
      expect(Object.fromEntries(leases)).toEqual({
        webhook: new Set([leaseMs]),
        batch: new Set([batchMs]),
        email: new Set([120_000]),
      });
    },
  );

  it("that comes while the worker stops is given back, and nothing is sent", async () => {
    const storage = memoryStorage();
    let answer = (): void => {};
    let asked = (): void => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    let sent = 0;
    const slow: StorageDriver = {
      ...storage,
      close: async () => {},
      async claim(query) {
        const claimed = await storage.claim(query);
        if (claimed.jobs.length === 0) return claimed;
        asked();
        await new Promise<void>((resolve) => (answer = resolve));
        return claimed;
      },
    };
    const backend = await submitted(slow, async () => {
      sent++;
      return { ok: true, code: "SUCCESS", http_status: 200, message: "", duration_ms: 1 };
    });
    await isAsked;
    const closing = backend.close();
    await turn();
    answer();
    await closing;
    expect(sent).toBe(0);
    const { jobs } = await storage.claim(claim);
    expect(jobs.map(({ value }) => [value["attempt"], value["lost"]])).toEqual([[0, 0]]);
  });

  it("that is given back is due by the store's clock, however far ahead the process's own is", async () => {
    const storage = memoryStorage();
    const behind = 10 * 60_000;
    let begun = (): void => {};
    const running = new Promise<void>((resolve) => (begun = resolve));
    const other: StorageDriver = {
      ...storage,
      close: async () => {},
      claim: (query) => storage.claim({ ...query, now: (query.now ?? Date.now()) - behind }),
    };
    const backend = await submitted(other, (...args) => {
      begun();
      return stoppable(...args);
    });
    await running;
    await backend.close({ graceMs: 1 });
    const { jobs } = await storage.claim({ ...claim, now: Date.now() - behind });
    expect(jobs.map(({ value }) => value["attempt"])).toEqual([0]);
  });

  it("ends with the success of an attempt that was told to stop and was through already", async () => {
    const storage = memoryStorage();
    let begun = (): void => {};
    const running = new Promise<void>((resolve) => (begun = resolve));
    const backend = await submitted({ ...storage, close: async () => {} }, (_url, _request, signal) => {
      begun();
      return new Promise((resolve) => {
        signal?.addEventListener("abort", () =>
          resolve({ ok: true, code: "SUCCESS", http_status: 200, message: "", duration_ms: 1 }),
        );
      });
    });
    await running;
    await backend.close({ graceMs: 1 });
    const rows = await storage.page("jobs", { index: "all", equals: {}, order: "asc", limit: 10 });
    expect(rows.map(({ value }) => value["status"])).toEqual(["succeeded"]);
  });

  it("of an attempt that this process ended itself is given back without counting one, however slow the store is", async () => {
    const storage = memoryStorage();
    let begun = (): void => {};
    const running = new Promise<void>((resolve) => (begun = resolve));
    let closing: Promise<void> | undefined;
    const slow: StorageDriver = {
      ...storage,
      close: async () => {},
      async commit(writes) {
        // The lease that is given back is the first to be written; whatever else is may overtake it.
        if (closing && writes.length === 1) for (let i = 0; i < 10; i++) await turn();
        return storage.commit(writes);
      },
    };
    const backend = await submitted(slow, (...args) => {
      begun();
      return stoppable(...args);
    });
    await running;
    closing = backend.close({ graceMs: 1 });
    await closing;
    const { jobs } = await storage.claim(claim);
    expect(jobs.map(({ value }) => [value["attempt"], value["lost"], value["status"]])).toEqual([[0, 0, "pending"]]);
  });
});
