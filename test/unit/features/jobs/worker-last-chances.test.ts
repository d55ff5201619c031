import { describe, expect, it } from "vitest";
import { settled, watchedWorker } from "./_worker.ts";

const LAST = { lost: 2 };

describe("a job with one claim left", () => {
  it("runs at once beside all others, and notes that it begins; one with two claims left waits its turn", async () => {
    const { worker, seen, plan, row, hold, held } = watchedWorker();
    await plan("first", 0);
    hold();
    await worker.start();
    await settled();
    await plan("last", 0, LAST);
    await plan("patient", 0, { target: "w2", lost: 1 });
    held.wake("webhook");
    await settled();
    expect(seen.ran).toEqual(["first", "last"]);
    expect(await row("last")).toMatchObject({ last_chance: 2, leased: true });
    expect(await row("patient")).toMatchObject({ leased: true, lost: 1 });
  });

  it("waits for the one that runs, and is due again a quarter of a second later", async () => {
    const { clock, worker, seen, plan, row, hold } = watchedWorker({ inFlight: 4, perTarget: 4 });
    await plan("a", -2, LAST);
    await plan("b", -1, LAST);
    await plan("c", 0, LAST);
    hold();
    await worker.start();
    await settled();
    expect(seen.ran).toEqual(["a"]);
    const dueIn = async (id: string) => Date.parse((await row(id))?.due_at ?? "") - clock.now();
    expect([await dueIn("b"), await dueIn("c")]).toEqual([250, 500]);
    expect(await row("b")).toMatchObject({ leased: false, lost: 2 });
  });

  it("is run by a tick after the others, without a claim meanwhile", async () => {
    const { worker, seen, plan, ends, hold } = watchedWorker();
    for (const [n, id] of ["a", "b", "c"].entries()) await plan(id, n - 3, { ...LAST, target: id });
    hold();
    const tick = worker.tick();
    await settled();
    expect(seen.ran).toEqual(["a"]);
    const { claims } = seen;
    expect(claims).toBeLessThan(4);
    await settled();
    expect(seen.claims).toBe(claims);
    for (const id of ["a", "b", "c"]) {
      await settled();
      ends.get(id)?.();
    }
    expect(await tick).toEqual({ ran: 3 });
    expect(seen.ran).toEqual(["a", "b", "c"]);
  });

  it("is waited for by a tick of another lane that has one too", async () => {
    const { worker, seen, plan, ends, hold } = watchedWorker({ lanes: ["webhook", "email"] });
    await plan("mail", 0, { ...LAST, lane: "email" });
    hold("mail");
    const first = worker.tick();
    await settled();
    await plan("hook", 0, LAST);
    const second = worker.tick();
    await settled();
    expect(seen.ran).toEqual(["mail"]);
    const { claims } = seen;
    await settled();
    expect(seen.claims).toBe(claims);
    ends.get("mail")?.();
    expect(await second).toEqual({ ran: 1 });
    await first;
    expect(seen.ran).toEqual(["mail", "hook"]);
  });
});
