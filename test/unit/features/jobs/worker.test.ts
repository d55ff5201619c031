import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { ClaimedJob } from "../../../../src/features/jobs/reads.ts";
import { createWorker } from "../../../../src/features/jobs/work.ts";
import type { JobOutcome } from "../../../../src/model/outcome.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { job, START } from "../../../../src/surfaces/testing/storage/fixtures.ts";

const done: JobOutcome = { status: "succeeded", code: "SUCCESS" };
const settled = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await turn();
};

/** A started worker of one lane, over a store that counts its claims, with a clock that stands still. */
function startedWorker({ inFlight = 1, perTarget = 1 } = {}) {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  onTestFinished(() => void vi.restoreAllMocks());
  const clock = testClock(START + 60_000);
  const storage = memoryStorage();
  const seen = { claims: 0, ran: [] as string[], warnings: [] as string[], errors: [] as string[] };
  const held: {
    wake: (lane: string) => void;
    claim: () => Promise<void>;
    perform: (job: ClaimedJob) => Promise<JobOutcome>;
    settle: () => Promise<void>;
  } = {
    wake: () => {},
    claim: async () => {},
    perform: async () => done,
    settle: async () => {},
  };
  const core = {
    ...{ clock, storeClock: { now: clock.now, note() {} } },
    queue: {
      async listen(onWake: (lane: string) => void) {
        held.wake = onWake;
        return async () => {};
      },
    },
    storage: {
      ...storage,
      async claim(query: Parameters<typeof storage.claim>[0]) {
        seen.claims++;
        await held.claim();
        return storage.claim(query);
      },
    },
    rows: { readable: (_: string, rows: unknown[]) => rows },
    commitTogether: (writes: Parameters<typeof storage.commit>[0]) => storage.commit(writes),
    options: {
      webhooks: { timeoutMs: 10_000 },
      logger: {
        warn: (message: string) => void seen.warnings.push(message),
        error: (message: string) => void seen.errors.push(message),
      },
    },
  } as unknown as Core;
  const worker = createWorker(core, {
    lanes: { webhook: () => ({ leaseMs: 60_000, inFlight, perTarget }) },
    async perform(_, row) {
      seen.ran.push(row.id);
      return held.perform(row);
    },
    createSettle: () => async (row) => {
      await held.settle();
      await storage.commit([{ op: "put", collection: "jobs", id: row.id, value: { ...row.value, due_at: null } }]);
    },
  });
  const plan = async (id: string, dueIn: number, more: object = {}): Promise<void> => {
    const write = job(id, 1, { kind: "webhook", due_at: new Date(clock.now() + dueIn).toISOString(), ...more });
    await storage.commit([write]);
  };
  const go = async (ms: number): Promise<void> => {
    clock.set(clock.now() + ms);
    await settled();
  };
  return { clock, storage, worker, seen, held, plan, go };
}

describe("a worker that was started", () => {
  it("looks at once, and again when the next job is due, and not before", async () => {
    const { worker, seen, plan, go } = startedWorker();
    await plan("later", 400);
    await worker.start();
    await settled();
    expect(seen.claims).toBe(1);
    await go(399);
    expect([seen.claims, seen.ran]).toEqual([1, []]);
    await go(1);
    expect([seen.claims > 1, seen.ran]).toEqual([true, ["later"]]);
    await worker.stop(0);
  });

  it("looks each second where nothing is due, and not after its end", async () => {
    const { worker, seen, plan, go } = startedWorker();
    await plan("tomorrow", 86_400_000);
    await worker.start();
    await settled();
    await go(999);
    expect(seen.claims).toBe(1);
    await go(1);
    expect(seen.claims).toBe(2);
    await go(1_000);
    expect(seen.claims).toBe(3);
    await worker.stop(0);
    await go(10_000);
    expect(seen.claims).toBe(3);
    await worker.start();
    await settled();
    expect(seen.claims).toBe(3);
  });

  it("looks when it is woken, once more when that comes during a claim, and at no lane of a later version", async () => {
    const { worker, seen, held, plan } = startedWorker();
    await worker.start();
    await settled();
    await plan("now", 0);
    held.wake("a lane of a later version");
    await settled();
    expect(seen.claims).toBe(1);
    let open = (): void => {};
    held.claim = () => new Promise((resolve) => (open = resolve));
    held.wake("webhook");
    await settled();
    held.wake("webhook");
    await settled();
    expect(seen.claims, "one claim at a time").toBe(2);
    held.claim = async () => {};
    open();
    await settled();
    expect(seen.claims).toBeGreaterThan(2);
    expect(seen.ran).toEqual(["now"]);
    await worker.stop(0);
  });

  it("says that a claim failed, and tries again after a second", async () => {
    const { worker, seen, held, plan, go } = startedWorker();
    await plan("now", 0);
    held.claim = async () => {
      throw new Error("the store is down");
    };
    await worker.start();
    await settled();
    expect(seen.warnings).toEqual([
      expect.stringMatching(/^claiming webhook jobs failed; trying again in a second: Error/),
    ]);
    held.claim = async () => {};
    await go(999);
    expect(seen.ran).toEqual([]);
    await go(1);
    expect(seen.ran).toEqual(["now"]);
    await worker.stop(0);
  });

  it("says that a result could not be stored", async () => {
    const { worker, seen, held, plan } = startedWorker();
    await plan("now", 0);
    held.settle = async () => {
      throw new Error("the store is down");
    };
    await worker.start();
    await settled();
    expect(seen.errors).toEqual([
      expect.stringMatching(/^the result of job now could not be stored, so it will run again: Error/),
    ]);
    await worker.stop(0);
  });

  it("looks again 50 ms after a run, since others may have had more", async () => {
    const { worker, seen, held, plan, go } = startedWorker({ inFlight: 2 });
    await plan("slow", 0);
    let end = (): void => {};
    held.perform = () => new Promise((resolve) => (end = () => resolve(done)));
    await worker.start();
    await settled();
    const { claims } = seen;
    end();
    await settled();
    expect(seen.claims).toBe(claims);
    await go(49);
    expect(seen.claims).toBe(claims);
    await go(1);
    expect(seen.claims).toBe(claims + 1);
    await worker.stop(0);
  });

  it("runs a job once that is claimed again while it runs, as after a clock was changed", async () => {
    const { worker, seen, held, plan, go } = startedWorker({ inFlight: 4, perTarget: 4 });
    await plan("slow", 0);
    let end = (): void => {};
    held.perform = () => new Promise((resolve) => (end = () => resolve(done)));
    await worker.start();
    await settled();
    await go(61_000);
    await go(1_000);
    expect(seen.ran).toEqual(["slow"]);
    end();
    await settled();
    await worker.stop(0);
  });

  it("asks for a target in trouble with a careful claim, at most each 50 ms", async () => {
    const { worker, seen, held, plan, go } = startedWorker({ inFlight: 4, perTarget: 4 });
    held.perform = async () => ({ status: "retry", code: "ERROR_WEBHOOK_TIMEOUT" });
    for (let n = 0; n < 5; n++) await plan(`dead${n}`, 0);
    await worker.start();
    await settled();
    expect(seen.ran).toHaveLength(5);
    await go(50);
    const { claims } = seen;
    // Nothing of it is claimed but by a careful claim, of which there was one just now.
    await plan("next", 0);
    held.wake("webhook");
    await settled();
    expect([seen.claims - claims, seen.ran.length]).toEqual([1, 5]);
    await go(50);
    expect(seen.ran).toContain("next");
    await worker.stop(0);
  });

  it("gives back what waits when it ends, and what runs when the grace is over", async () => {
    const { worker, seen, held, plan, storage } = startedWorker();
    await plan("first", 0);
    await plan("second", 0);
    held.perform = () => new Promise(() => {});
    await worker.start();
    await settled();
    expect(seen.ran).toHaveLength(1);
    void worker.stop(1);
    await vi.waitFor(async () => {
      const rows = await storage.page("jobs", { index: "all", equals: {}, order: "asc", limit: 10 });
      expect(rows.map(({ value }) => value.leased)).toEqual([false, false]);
    });
  });
});
