import { describe, expect, it } from "vitest";
import { createShares } from "../../../../src/core/fairness/share.ts";

/** Shares over a loop whose time the test sets: `pass` lets time pass, of which so much was active. */
function loop() {
  const time = { idle: 0, active: 0 };
  let timers: (() => void)[] = [];
  const share = createShares({ time: () => ({ ...time }), later: (run) => timers.push(run) });
  return {
    begin: () => share(),
    /** Takes a part for the team; the answer tells whether it was admitted. */
    take(team: string) {
      const one = share();
      let admitted = true;
      const wait = one.take(team);
      if (wait) {
        admitted = false;
        void wait.then(() => (admitted = true));
      }
      return { leave: () => one.leave(), admitted: () => admitted };
    },
    async pass(ms: number, active = ms) {
      time.idle += ms - active;
      time.active += active;
      const due = timers;
      timers = [];
      for (const run of due) run();
      await new Promise((resolve) => setImmediate(resolve));
    },
    timers: () => timers.length,
  };
}

describe("the event loop's time is shared by teams", () => {
  it("a lone team never waits, however busy the loop is", async () => {
    const { take, pass } = loop();
    for (let at = 0; at < 100; at++) {
      expect(take("a").admitted()).toBe(true);
      await pass(20);
    }
  });

  it("a team that takes more than a fifth waits until it is down to that, and another team does not", async () => {
    const { take, pass } = loop();
    const first = take("busy");
    await pass(100);
    expect(take("calm").admitted()).toBe(true);
    const second = take("busy");
    const third = take("busy");
    expect([second.admitted(), third.admitted()]).toEqual([false, false]);
    expect(take("calm").admitted()).toBe(true);
    first.leave();
    // 100 ms were used, so 80 are owed; each idle ms pays a fifth of one.
    await pass(395, 0);
    expect(second.admitted()).toBe(false);
    await pass(10, 0);
    expect([second.admitted(), third.admitted()]).toEqual([true, false]);
    await pass(5, 0);
    expect(third.admitted()).toBe(true);
  });

  it("time counts by the number of requests under way", async () => {
    const { take, pass } = loop();
    take("calm");
    for (let n = 0; n < 9; n++) take("busy");
    await pass(40);
    // 36 of 40 ms for the one, 4 for the other, which is less than a fifth.
    expect(take("busy").admitted()).toBe(false);
    expect(take("calm").admitted()).toBe(true);
  });

  it("teams that take a fifth each don't wait", async () => {
    const { take, pass } = loop();
    for (let at = 0; at < 50; at++) {
      const taken = ["a", "b", "c", "d", "e"].map(take);
      expect(taken.map(({ admitted }) => admitted())).toEqual([true, true, true, true, true]);
      await pass(10, 9.9);
      for (const one of taken) one.leave();
    }
  });

  it("a light request never waits and takes nothing, but others leave its team time", async () => {
    const { begin, take, pass } = loop();
    take("busy");
    await pass(300);
    for (let n = 0; n < 3; n++) begin().note("busy");
    expect(take("busy").admitted()).toBe(true);
    begin().note("calm");
    expect(take("busy").admitted()).toBe(false);
    expect(take("calm").admitted()).toBe(true);
  });

  it("a team waits only as long as others are served", async () => {
    const { take, pass } = loop();
    take("busy");
    await pass(300);
    take("calm").leave();
    const waiting = Array.from({ length: 5 }, () => take("busy"));
    await pass(500);
    expect(waiting.filter(({ admitted }) => admitted())).toEqual([]);
    await pass(501);
    expect(waiting.every(({ admitted }) => admitted())).toBe(true);
    expect(take("busy").admitted()).toBe(true);
  });

  it("nobody waits longer than ten seconds", async () => {
    const { take, pass } = loop();
    take("busy");
    await pass(300);
    take("calm").leave();
    const one = take("busy");
    for (let ms = 0; ms < 9_500; ms += 500) {
      await pass(500);
      take("calm").leave();
      expect(one.admitted()).toBe(false);
    }
    await pass(500);
    expect(one.admitted()).toBe(true);
  });

  it("a flood is forgotten within two seconds", async () => {
    const { take, pass } = loop();
    const flood = Array.from({ length: 20 }, () => take("busy"));
    await pass(60_000);
    for (const one of flood) one.leave();
    take("calm").leave();
    const one = take("busy");
    expect(one.admitted()).toBe(false);
    await pass(800, 0);
    take("calm").leave();
    expect(one.admitted()).toBe(false);
    await pass(800, 0);
    expect(one.admitted()).toBe(true);
    one.leave();
    take("calm").leave();
    expect(take("busy").admitted()).toBe(true);
  });

  it("a request takes one part, leaves what it never took, and one that left while it waited takes none", async () => {
    const { begin, take, pass, timers } = loop();
    const one = begin();
    one.leave();
    const request = begin();
    expect([request.take("busy"), request.take("another")]).toEqual([undefined, undefined]);
    await pass(100);
    take("calm").leave();
    const gone = take("busy");
    gone.leave();
    request.leave();
    await pass(500, 0);
    expect(gone.admitted()).toBe(true);
    // Nothing is under way and nothing waits: busy time is nobody's, and no timer runs.
    await pass(500);
    take("calm").leave();
    expect(take("busy").admitted()).toBe(true);
    expect(timers()).toBe(0);
  });
});
