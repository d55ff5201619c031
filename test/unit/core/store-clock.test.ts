import { describe, expect, it, vi } from "vitest";
import { createStoreClock } from "../../../src/core/store-clock.ts";
import { memoryStorage } from "../../../src/drivers/storage/memory.ts";
import type { Attempt } from "../../../src/features/webhooks/request.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { createBackend } from "../../../src/surfaces/form-backend.ts";

const MINUTE = 60_000;
const failure: Attempt = {
  ok: false,
  code: "ERROR_WEBHOOK_HTTP_5XX",
  http_status: 500,
  message: "HTTP 500",
  duration_ms: 1,
};

/** A backend on the machine's clock, whose store has a clock that is so far ahead. */
async function skewed(ahead: number | (() => number)) {
  const shift = typeof ahead === "number" ? () => ahead : ahead;
  const storage = memoryStorage();
  const warnings: string[] = [];
  const logger = { debug() {}, info() {}, error() {}, warn: (text: string) => void warnings.push(text) };
  const backend = createBackend(
    {
      baseUrl: "http://localhost/forms",
      secret: "x".repeat(32),
      storage: { ...storage, claim: async (query) => storage.claim({ ...query, now: Date.now() + shift() }) },
      logger,
      work: false,
    },
    { webhookClient: { post: async () => failure, close() {} } },
  );
  const { id } = await backend.forms.create({ name: "A", self_email_notification: { enabled: false } });
  await backend.webhooks.create(id, { url: "https://hooks.example.com/" });
  return { backend, form: id, warnings, dueAt: () => storage.nextDueAt("webhook") };
}

describe("a store whose clock is not that of this machine", () => {
  it.each([10 * MINUTE, -10 * MINUTE, -90 * MINUTE])(
    "%i ms ahead gets new jobs that are due at once, and retries no earlier or later than the schedule says",
    async (ahead) => {
      const b = await skewed(ahead);
      await b.backend.tick();
      await b.backend.submit(b.form, { fields: { a: "1" } });
      const before = Date.now();
      expect(await b.backend.tick()).toEqual({ ran: 1 });
      const after = Date.now();
      expect(await b.backend.tick()).toEqual({ ran: 0 });
      const due = Number(await b.dueAt()) - ahead;
      expect(due).toBeGreaterThanOrEqual(before + 4_000 - 1);
      expect(due).toBeLessThanOrEqual(after + 6_000 + 1);
      await b.backend.close();
    },
  );

  it.each([10 * MINUTE, -10 * MINUTE])("%i ms ahead is known to a process that never works", async (ahead) => {
    const b = await skewed(ahead);
    const before = Date.now();
    await b.backend.submit(b.form, { fields: { a: "1" } });
    const due = Number(await b.dueAt()) - ahead;
    expect(due).toBeGreaterThanOrEqual(before - 2);
    expect(due).toBeLessThanOrEqual(Date.now());
    await b.backend.close();
  });

  it("is asked for again every ten minutes by a process that never works, until it is closed", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    try {
      let ahead = 0;
      const b = await skewed(() => ahead);
      ahead = 10 * MINUTE;
      await vi.advanceTimersByTimeAsync(10 * MINUTE);
      await b.backend.submit(b.form, { fields: { a: "1" } });
      expect(Math.abs(Number(await b.dueAt()) - Date.now() - ahead)).toBeLessThan(100);
      await b.backend.close();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("that can't be told keeps nobody from posting", async () => {
    const b = await skewed(() => {
      throw new Error("down");
    });
    await b.backend.submit(b.form, { fields: { a: "1" } });
    expect(await b.dueAt()).not.toBeNull();
    await b.backend.close();
  });

  it("is warned of once when it is more than 30 s", async () => {
    const near = await skewed(29_000);
    await near.backend.tick();
    expect(near.warnings).toEqual([]);
    await near.backend.close();
    const far = await skewed(10 * MINUTE);
    await far.backend.tick();
    await far.backend.tick();
    expect(far.warnings).toEqual([expect.stringContaining("600 s behind the store's")]);
    await far.backend.close();
  });
});

describe("the store's clock", () => {
  it("is this machine's as long as no answer proves otherwise, however long answers take", () => {
    let time = 1_000_000;
    const clock = createStoreClock({ ...systemClock, now: () => time }, () => {});
    for (const took of [0, 1, 4_000]) {
      const asked = time;
      time += took;
      clock.note(asked, asked);
      clock.note(time, asked);
      expect(clock.now()).toBe(time);
    }
    // Cut to whole milliseconds, it may look older than the question.
    clock.note(time - 1, time);
    expect(clock.now()).toBe(time);
  });

  it("follows when either is set anew, and warns again", () => {
    let time = 1_000_000;
    const warnings: string[] = [];
    const clock = createStoreClock({ ...systemClock, now: () => time }, (text) => void warnings.push(text));
    clock.note(time + 40_000, time);
    expect(clock.now()).toBe(time + 40_000);
    time += 40_000;
    clock.note(time, time);
    expect(clock.now()).toBe(time);
    clock.note(time - 31_000, time - 200);
    expect(clock.now()).toBe(time - 31_000);
    expect(warnings).toEqual([expect.stringContaining("40 s behind"), expect.stringContaining("31 s ahead of")]);
  });
});
