import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import type { Attempt, WebhookClient } from "../../../../src/features/webhooks/request.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";

const sent: Attempt = { ok: true, code: "SUCCESS", http_status: 200, message: "", duration_ms: 1 };
const stopped: Attempt = { ok: false, code: "ERROR_WEBHOOK_INTERNAL", message: "stopped", duration_ms: 1 };
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const HANGS = "https://hangs.example.com/";
const ANSWERS = "https://answers.example.com/";
const LEASE = 60_000;

/** A receiver that answers when it is let go. */
function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

function started(storage: StorageDriver, post: WebhookClient["post"], more: object = {}) {
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const options = {
    baseUrl: "http://localhost/forms",
    secret: "x".repeat(32),
    rateLimit: false as const,
    logger: silent,
    clock,
  };
  const backend = createBackend(
    { ...options, storage: { ...storage, close: async () => {} }, ...more },
    { webhookClient: { post, close() {} } },
  );
  const form = async (url: string): Promise<string> => {
    const { id } = await backend.forms.create({
      name: "A",
      spam: { protection: false },
      self_email_notification: { enabled: false },
    });
    await backend.webhooks.create(id, { url });
    return id;
  };
  const fill = async (id: string, n: number): Promise<void> => {
    await Promise.all(Array.from({ length: n }, (_, i) => backend.submit(id, { fields: { i: String(i) } })));
  };
  return Object.assign(backend, { clock, form, fill });
}

async function rowsOf(storage: StorageDriver) {
  return (await storage.page("jobs", { index: "all", equals: {}, order: "asc", limit: 1_000 })).map(
    ({ value }) => value,
  );
}
const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  // Counted in turns of the event loop, which a busy machine can't use up.
  for (let left = 100_000; !(await holds()); left--) {
    if (left === 0) return expect.fail("it did not come to hold");
    await turn();
  }
};

describe("jobs that are fetched ahead", () => {
  it("hold up no other receiver while theirs hangs", async () => {
    const storage = memoryStorage();
    const { opened, open } = gate();
    let hanging = 0;
    let answered = 0;
    const b = started(
      storage,
      async (url) => {
        if (url !== HANGS) return { ...sent, duration_ms: ++answered };
        hanging++;
        await opened;
        return sent;
      },
      { work: false },
    );
    const [hangs, answers] = [await b.form(HANGS), await b.form(ANSWERS)];
    await b.fill(hangs, 100);
    const ticking = b.tick();
    await until(() => hanging === 8);
    expect(
      (await rowsOf(storage)).filter(({ leased }) => leased).length,
      "64 are fetched for it",
    ).toBeGreaterThanOrEqual(64);
    await b.fill(answers, 50);
    // As a running worker would be woken.
    const beside = b.tick();
    await until(() => answered === 50);
    expect(hanging).toBe(8);
    open();
    await Promise.all([ticking, beside]);
    expect((await rowsOf(storage)).every(({ status }) => status === "succeeded")).toBe(true);
  });

  it("come in few claims, and what they need in one read of each collection for a claim", async () => {
    const storage = memoryStorage();
    const reads = new Map<string, number>();
    let [claims, claimed] = [0, 0];
    const counted: StorageDriver = {
      ...storage,
      async claim(query) {
        const answer = await storage.claim(query);
        if (answer.jobs.length > 0) claims++;
        claimed += answer.jobs.length;
        return answer;
      },
      get(collection, ids) {
        reads.set(collection, (reads.get(collection) ?? 0) + 1);
        return storage.get(collection, ids);
      },
    };
    const b = started(counted, async () => sent, { work: false });
    const forms: string[] = [];
    for (let n = 0; n < 8; n++) forms.push(await b.form(`https://r${n}.example.com/`));
    for (let post = 0; post < 80; post++) {
      for (const form of forms) await b.fill(form, 1);
      b.clock.set(b.clock.now() + 1);
    }
    reads.clear();
    expect(await b.tick()).toEqual({ ran: 640 });
    expect(claimed / claims).toBeGreaterThanOrEqual(50);
    for (const collection of ["forms", "teams", "submissions"])
      expect(reads.get(collection), collection).toBeLessThanOrEqual(claims);
  });

  it("are not sent to a webhook that is turned off while they wait", async () => {
    const storage = memoryStorage();
    let off: Promise<unknown> | undefined;
    let posts = 0;
    const b = started(
      storage,
      async () => {
        posts++;
        off ??= b.webhooks.list(form).then(([hook]) => b.webhooks.update(form, hook?.id ?? "", { enabled: false }));
        await off;
        return sent;
      },
      { work: false },
    );
    const form = await b.form(ANSWERS);
    await b.fill(form, 30);
    await b.tick();
    expect(posts).toBe(8);
    const ends = (await rowsOf(storage)).map(({ code }) => code);
    expect(ends.filter((code) => code === "SKIPPED_WEBHOOK_DISABLED")).toHaveLength(22);
  });

  it("are given back when a process ends, before it waits for what runs", async () => {
    const storage = memoryStorage();
    let posts = 0;
    const b = started(storage, (_url, _request, signal) => {
      posts++;
      return new Promise((resolve) => signal?.addEventListener("abort", () => resolve(stopped)));
    });
    await b.fill(await b.form(HANGS), 80);
    await until(() => posts === 8);
    await b.close({ graceMs: 1 });
    const rows = await rowsOf(storage);
    expect(posts).toBe(8);
    expect(new Set(rows.map(({ leased, lost, attempt }) => `${leased} ${lost} ${attempt}`))).toEqual(
      new Set(["false 0 0"]),
    );
  });

  it("of a process that was killed with a full queue are all delivered after their leases, each once", async () => {
    const storage = memoryStorage();
    const killed = started(storage, () => new Promise(() => {}));
    const form = await killed.form(HANGS);
    await killed.fill(form, 80);
    await until(async () => (await rowsOf(storage)).filter(({ leased }) => leased).length >= 64);
    const calls: string[] = [];
    const other = started(
      storage,
      async (_url, { headers = {} }) => {
        calls.push(headers["webhook-id"] ?? "");
        return sent;
      },
      { work: false },
    );
    other.clock.set(killed.clock.now());
    await other.tick();
    expect(calls.length, "those that are leased are left alone").toBeLessThanOrEqual(16);
    other.clock.set(killed.clock.now() + LEASE);
    await other.tick();
    expect([calls.length, new Set(calls).size]).toEqual([80, 80]);
    expect((await rowsOf(storage)).every(({ status, attempt }) => status === "succeeded" && attempt === 1)).toBe(true);
  });

  it("go back when they have waited too long, so that a live worker sends none twice", async () => {
    const storage = memoryStorage();
    const { opened, open } = gate();
    const calls: string[] = [];
    const b = started(
      storage,
      async (_url, { headers = {} }) => {
        calls.push(headers["webhook-id"] ?? "");
        if (calls.length <= 8) await opened;
        return sent;
      },
      { work: false },
    );
    await b.fill(await b.form(HANGS), 70);
    const ticking = b.tick();
    await until(() => calls.length === 8);
    // The clock is moved far beyond every lease, also of what runs.
    b.clock.set(b.clock.now() + 60 * LEASE);
    open();
    await ticking;
    await b.tick();
    expect([calls.length, new Set(calls).size]).toEqual([70, 70]);
    expect((await rowsOf(storage)).every(({ status }) => status === "succeeded")).toBe(true);
  });

  it("survive a store that is down between claim and result: nothing is lost, and what is stored late is not sent again", async () => {
    const storage = memoryStorage();
    let down = false;
    let faults = 0;
    const calls: string[] = [];
    const b = started(
      {
        ...storage,
        async commit(writes) {
          if (down && ++faults <= 3) throw new Error("away for a moment");
          return storage.commit(writes);
        },
      },
      async (_url, { headers = {} }) => {
        calls.push(headers["webhook-id"] ?? "");
        down = true;
        return sent;
      },
      { work: false },
    );
    await b.fill(await b.form(ANSWERS), 40);
    await b.tick();
    expect(faults).toBeGreaterThanOrEqual(3);
    expect([calls.length, new Set(calls).size]).toEqual([40, 40]);
    expect((await rowsOf(storage)).every(({ status }) => status === "succeeded")).toBe(true);
  });
});
