import { describe, expect, it, vi } from "vitest";
import { settled, watchedWorker } from "./_worker.ts";

describe("a worker that was started", () => {
  it("looks at once, and again when the next job is due, and not before", async () => {
    const { worker, seen, plan, go } = watchedWorker();
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
    const { worker, seen, plan, go } = watchedWorker();
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
    const { worker, seen, held, plan, holdClaims } = watchedWorker();
    await worker.start();
    await settled();
    await plan("now", 0);
    held.wake("a lane of a later version");
    await settled();
    expect(seen.claims).toBe(1);
    const open = holdClaims();
    held.wake("webhook");
    await settled();
    held.wake("webhook");
    await settled();
    expect(seen.claims, "one claim at a time").toBe(2);
    open();
    await settled();
    expect(seen.claims).toBeGreaterThan(2);
    expect(seen.ran).toEqual(["now"]);
    await worker.stop(0);
  });

  it("says that a claim failed, and tries again after a second", async () => {
    const { worker, seen, held, plan, go } = watchedWorker();
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
    const { worker, seen, held, plan } = watchedWorker();
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
    const { worker, seen, plan, go, hold, ends } = watchedWorker({ inFlight: 2 });
    await plan("slow", 0);
    hold();
    await worker.start();
    await settled();
    const { claims } = seen;
    ends.get("slow")?.();
    await settled();
    expect(seen.claims).toBe(claims);
    await go(49);
    expect(seen.claims).toBe(claims);
    await go(1);
    expect(seen.claims).toBe(claims + 1);
    await worker.stop(0);
  });

  it("runs a job once that is claimed again while it runs, as after a clock was changed", async () => {
    const { worker, seen, plan, go, hold, ends } = watchedWorker({ inFlight: 4, perTarget: 4 });
    await plan("slow", 0);
    hold();
    await worker.start();
    await settled();
    await go(61_000);
    await go(1_000);
    expect(seen.ran).toEqual(["slow"]);
    ends.get("slow")?.();
    await settled();
    await worker.stop(0);
  });

  it("asks for a target in trouble with a careful claim, at most each 50 ms", async () => {
    const { worker, seen, held, plan, go } = watchedWorker({ inFlight: 4, perTarget: 4 });
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
    const { worker, seen, plan, storage, hold } = watchedWorker();
    await plan("first", 0);
    await plan("second", 0);
    hold();
    await worker.start();
    await settled();
    expect(seen.ran).toHaveLength(1);
    void worker.stop(1);
    await vi.waitFor(async () => {
      const rows = await storage.page("jobs", { index: "all", equals: {}, order: "asc", limit: 10 });
      expect(rows.map(({ value }) => value.leased)).toEqual([false, false]);
    });
  });

  it("looks each second give or take a fifth, at random, so that processes do not look together", async () => {
    for (const [random, ms] of [
      [0, 800],
      [1, 1_200],
    ] as const) {
      const { worker, seen, go } = watchedWorker({ random });
      await worker.start();
      await settled();
      await go(ms - 1);
      expect(seen.claims).toBe(1);
      await go(1);
      expect(seen.claims).toBe(2);
      await worker.stop(0);
    }
  });

  it("waits the usual time where a due job can't be claimed yet", async () => {
    const { worker, seen, plan, go, hold } = watchedWorker({ inFlight: 4 });
    for (let n = 0; n < 10; n++) await plan(`job${n}`, 0);
    hold();
    await worker.start();
    await settled();
    expect([seen.claims, seen.ran]).toEqual([1, ["job0"]]);
    await go(0);
    await go(1);
    expect(seen.claims).toBe(1);
  });

  it("claims again at once where a claim brought as many as it may and there is room for more", async () => {
    const { worker, seen, plan, hold } = watchedWorker({ inFlight: 100 });
    for (let n = 0; n < 200; n++) await plan(`job${n}`, 0, { target: `w${n}` });
    hold();
    await worker.start();
    await settled();
    expect([seen.claims, seen.ran.length]).toEqual([2, 100]);
  });

  it("claims when a run ends and its queue is nearly empty, without a wait", async () => {
    const { worker, seen, plan } = watchedWorker();
    for (let n = 0; n < 8; n++) await plan(`job${n}`, 0, { target: `w${n}` });
    await worker.start();
    await settled();
    expect(seen.ran).toHaveLength(8);
    await worker.stop(0);
  });

  it("looks for a job that is due within those 50 ms when it is due", async () => {
    const { worker, seen, plan, go, hold, ends } = watchedWorker({ inFlight: 2, perTarget: 2 });
    await plan("slow", 0);
    await plan("soon", 30);
    hold("slow");
    await worker.start();
    await settled();
    ends.get("slow")?.();
    await settled();
    await go(29);
    expect(seen.ran).toEqual(["slow"]);
    await go(1);
    expect(seen.ran).toEqual(["slow", "soon"]);
    await worker.stop(0);
  });

  it("looks again 50 ms after a claim during which a run ended", async () => {
    const { worker, seen, held, plan, go, hold, holdClaims, ends } = watchedWorker({ inFlight: 2 });
    await plan("slow", 0);
    hold();
    await worker.start();
    await settled();
    const open = holdClaims();
    held.wake("webhook");
    await settled();
    ends.get("slow")?.();
    await settled();
    open();
    await settled();
    const { claims } = seen;
    await go(49);
    expect(seen.claims).toBe(claims);
    await go(1);
    expect(seen.claims).toBe(claims + 1);
    // The next look comes after the usual second, because no other run has ended.
    await go(100);
    expect(seen.claims).toBe(claims + 1);
    await worker.stop(0);
  });

  it("gives back what has waited for a quarter of its lease", async () => {
    const { worker, seen, plan, go, row, hold, holdClaims } = watchedWorker();
    await plan("slow", -1);
    await plan("waits", 0);
    hold();
    await worker.start();
    await settled();
    expect(await row("waits")).toMatchObject({ leased: true });
    await go(14_000);
    expect(await row("waits")).toMatchObject({ leased: true });
    holdClaims();
    await go(1_000);
    await go(1_000);
    expect(await row("waits")).toMatchObject({ leased: false, due_at: expect.any(String) });
    expect(seen.ran).toEqual(["slow"]);
  });
});
