import { describe, expect, it } from "vitest";
import { done, settled, watchedWorker } from "./_worker.ts";

describe("a worker that ends", () => {
  it("listens once however often it is started, until it ends, and does not begin again", async () => {
    const { worker, seen } = watchedWorker();
    await worker.start();
    await worker.start();
    await settled();
    expect([seen.listens, seen.claims]).toEqual([1, 1]);
    await worker.stop(0);
    expect(seen.listens).toBe(0);
    await worker.start();
    expect(seen.listens).toBe(0);
  });

  it("leaves no timer behind, also where it ends during a claim", async () => {
    const { worker, seen } = watchedWorker();
    await worker.start();
    await settled();
    expect(seen.timers).toBe(1);
    await worker.stop(0);
    expect(seen.timers).toBe(0);

    const late = watchedWorker();
    const open = late.holdClaims();
    await late.worker.start();
    const stopped = late.worker.stop(0);
    open();
    await stopped;
    await settled();
    expect(late.seen.timers).toBe(0);
  });

  it("gives back what a claim brings after it, and claims no more", async () => {
    const { worker, seen, plan, row, holdClaims } = watchedWorker();
    // Three jobs fill one claim, so a second claim would be worth it. Job b has one claim left, so it would run at once.
    for (const id of ["a", "b", "c"]) await plan(id, 0, { target: id, lost: id === "b" ? 2 : 0 });
    const open = holdClaims();
    await worker.start();
    const stopped = worker.stop(0);
    let isOver = false;
    void stopped.then(() => (isOver = true));
    await settled();
    expect(isOver).toBe(false);
    open();
    await stopped;
    await settled();
    expect([seen.claims, seen.ran]).toEqual([1, []]);
    for (const id of ["a", "b", "c"])
      expect(await row(id)).toMatchObject({ leased: false, due_at: expect.any(String) });
  });

  it("lets a run end within the grace, and begins none of those that wait", async () => {
    const { worker, seen, plan, row, ends, hold } = watchedWorker();
    await plan("first", -1);
    await plan("second", 0);
    hold();
    await worker.start();
    await settled();
    expect(seen.ran).toEqual(["first"]);
    const stopped = worker.stop(60_000);
    await settled();
    ends.get("first")?.();
    await stopped;
    expect([seen.ran, seen.stored]).toEqual([["first"], ["first"]]);
    expect(await row("first")).toMatchObject({ due_at: null });
    expect(await row("second")).toMatchObject({ leased: false, due_at: expect.any(String) });
  });

  it("stores of the runs that it aborts only those that succeeded", async () => {
    const { worker, seen, held, plan } = watchedWorker({ inFlight: 2, perTarget: 2 });
    await plan("sent", -1);
    await plan("aborted", 0);
    held.perform = ({ id }, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () =>
          resolve(id === "sent" ? done : { status: "retry", code: "ERROR_WEBHOOK_TIMEOUT" }),
        );
      });
    await worker.start();
    await settled();
    expect(seen.ran).toEqual(["sent", "aborted"]);
    await worker.stop(0);
    expect(seen.stored).toEqual(["sent"]);
  });

  it("runs nothing in a tick after its end, and ends the tick that is under way", async () => {
    const { worker, seen, plan, ends, hold } = watchedWorker();
    await plan("first", -1);
    await plan("second", 0, { target: "w2" });
    hold();
    const tick = worker.tick();
    await settled();
    const stopped = worker.stop(60_000);
    await settled();
    ends.get("first")?.();
    await stopped;
    expect(await tick).toEqual({ ran: 1 });
    const { claims } = seen;
    expect(await worker.tick()).toEqual({ ran: 0 });
    expect([seen.claims, seen.ran]).toEqual([claims, ["first"]]);
  });
});
