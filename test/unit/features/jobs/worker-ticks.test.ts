import { describe, expect, it, vi } from "vitest";
import type { JobOutcome } from "../../../../src/model/outcome.ts";
import { done, settled, watchedWorker } from "./_worker.ts";

const dead: JobOutcome = { status: "retry", code: "ERROR_WEBHOOK_TIMEOUT" };

describe("a tick", () => {
  it("claims once for the jobs that it finds, and once more in each round to see that there are no others", async () => {
    const { worker, seen, plan } = watchedWorker();
    await plan("a", 0, { target: "a" });
    await plan("b", 0, { target: "b" });
    expect(await worker.tick()).toEqual({ ran: 2 });
    // The jobs; an empty lane; and the round after the one that ran something.
    expect(seen.claims).toBe(3);
    expect(seen.timers).toBe(0);
  });

  it("runs what its runs make due, in its own lane and in one that it has been through", async () => {
    const { worker, seen, held, plan } = watchedWorker({ lanes: ["webhook", "email"] });
    await plan("first", 0, { lane: "email" });
    held.perform = async ({ id }) => {
      if (id === "first") await plan("before", 0, { lane: "webhook" });
      if (id === "before") await plan("again", 0, { lane: "webhook" });
      return done;
    };
    expect(await worker.tick()).toEqual({ ran: 3 });
    expect(seen.ran).toEqual(["first", "before", "again"]);
  });

  it("claims at once, though runs of an earlier one go on, and waits for them", async () => {
    const { worker, seen, plan, ends, hold } = watchedWorker({ inFlight: 4, perTarget: 4 });
    await plan("slow", 0);
    hold("slow");
    const first = worker.tick();
    await settled();
    await plan("next", 0);
    const second = worker.tick();
    await settled();
    expect(seen.ran).toEqual(["slow", "next"]);
    ends.get("slow")?.();
    expect([await first, await second]).toEqual([{ ran: 2 }, { ran: 1 }]);
  });

  it("is not held up in one lane by a run of another one", async () => {
    const { worker, seen, held, plan, ends, hold } = watchedWorker({ lanes: ["webhook", "email"] });
    await plan("slow", 0, { lane: "email" });
    hold("slow");
    const first = worker.tick();
    await settled();
    await plan("quick", 0);
    const perform = held.perform;
    held.perform = async (row, signal) => {
      if (row.id === "quick") await plan("more", 0);
      return perform(row, signal);
    };
    const second = worker.tick();
    await settled();
    expect(seen.ran).toEqual(["slow", "quick", "more"]);
    ends.get("slow")?.();
    await Promise.all([first, second]);
  });

  it("claims what was beyond the limit of a claim as soon as there is room, though a run hangs", async () => {
    const { worker, seen, plan, ends, hold } = watchedWorker({ inFlight: 2 });
    await plan("slow", -10, { target: "slow" });
    for (let n = 0; n < 6; n++) await plan(`quick${n}`, n - 6, { target: `w${n}` });
    hold("slow");
    const tick = worker.tick();
    await settled();
    expect(seen.ran).toHaveLength(7);
    ends.get("slow")?.();
    expect(await tick).toEqual({ ran: 7 });
  });

  it("asks for a target in trouble only once it finds nothing else", async () => {
    const { worker, seen, held, plan } = watchedWorker({ inFlight: 4, perTarget: 4 });
    held.perform = async () => dead;
    for (let n = 0; n < 5; n++) await plan(`dead${n}`, 0);
    await worker.tick();
    held.perform = async () => done;
    seen.ran.length = seen.claims = 0;
    await plan("of the dead one", -1);
    await plan("fine", 0, { target: "w2" });
    expect(await worker.tick()).toEqual({ ran: 2 });
    expect(seen.ran).toEqual(["fine", "of the dead one"]);
  });

  it("knows when the leases of its jobs end, by the process' own time", async () => {
    const { worker, held, plan } = watchedWorker();
    vi.spyOn(performance, "now").mockReturnValue(5_000);
    const until: number[] = [];
    held.perform = async ({ leasedUntil }) => {
      until.push(leasedUntil);
      return done;
    };
    await plan("a", 0);
    await worker.tick();
    expect(until).toEqual([65_000]);
  });
});
