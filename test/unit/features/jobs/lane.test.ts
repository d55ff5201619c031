import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createLane } from "../../../../src/features/jobs/lane.ts";
import type { JobOutcome } from "../../../../src/model/outcome.ts";

const ok: JobOutcome = { status: "succeeded", code: "SUCCESS" };
const silent: JobOutcome = { status: "retry", code: "ERROR_WEBHOOK_TIMEOUT" };

/** A lane of 10 places, 4 for each target, with leases of 60 s. */
function laneOf({ inFlight = 10, perTarget = 4 } = {}) {
  let now = 0;
  let ids = 0;
  const lane = createLane({ leaseMs: 60_000, inFlight, perTarget }, () => now);
  const job = (target: string, id = `job${ids++}`) => ({ id, value: { target } });
  const add = (target: string, n: number) => {
    for (let at = 0; at < n; at++) lane.add(job(target));
  };
  /** Begins all that may run; returns their targets. */
  const begin = () => {
    const targets: string[] = [];
    for (let next = lane.next(); next; next = lane.next()) targets.push(next.value.target);
    return targets;
  };
  const end = (target: string, outcome = ok) => {
    lane.ended(target, outcome);
    lane.stored();
  };
  const trouble = (target: string) => {
    for (let at = 0; at < 5; at++) {
      lane.take(target);
      end(target, silent);
    }
  };
  const go = (ms: number) => {
    now += ms;
  };
  return { lane, job, add, begin, end, trouble, go };
}

describe("a lane", () => {
  it("lets so many of each target run, and so many in all, the targets in turns", () => {
    const { add, begin, end, lane } = laneOf();
    for (const target of ["a", "b", "c"]) add(target, 6);
    expect(begin()).toEqual(["a", "b", "c", "a", "b", "c", "a", "b", "c", "a"]);
    expect(lane.next()).toBeUndefined();
    end("b");
    expect(begin()).toEqual(["b"]);
  });

  it("holds no place for what waits for its target", () => {
    const { add, begin } = laneOf();
    add("hangs", 64);
    expect(begin()).toEqual(Array(4).fill("hangs"));
    add("other", 3);
    expect(begin()).toEqual(Array(3).fill("other"));
  });

  it("begins nothing more while as many results as it has places wait to be stored", () => {
    const { lane, add, begin } = laneOf({ inFlight: 2, perTarget: 2 });
    add("a", 5);
    begin();
    lane.ended("a", ok);
    lane.ended("a", ok);
    expect(begin()).toEqual([]);
    lane.stored();
    expect(begin()).toHaveLength(2);
  });

  it("claims what runs and what runs next, many of one target at a time", () => {
    const { lane, add, begin } = laneOf();
    expect(lane.claimable(false)).toEqual({ limit: 30, perTarget: 32, exclude: [] });
    add("a", 30);
    begin();
    expect(lane.claimable(false)).toEqual({ limit: 6, perTarget: 32, exclude: ["a"] });
    expect(laneOf({ inFlight: 64, perTarget: 8 }).lane.claimable(false)).toMatchObject({ limit: 128, perTarget: 64 });
  });

  it("has room for other targets, however much waits for those that hang", () => {
    const { lane, add, begin } = laneOf();
    add("a", 40);
    add("b", 40);
    begin();
    expect(lane.claimable(false)).toEqual({ limit: 2, perTarget: 32, exclude: ["a", "b"] });
  });

  it("is worth a claim where the last one got as many as it asked for, and once its queue runs low", () => {
    const { lane, add, begin, end } = laneOf();
    lane.claimed({ limit: 30, perTarget: 32, exclude: [] }, Array(30).fill("a"));
    add("a", 30);
    begin();
    expect(lane.isWorthAClaim(), "other targets may have more").toBe(true);
    lane.claimed({ limit: 6, perTarget: 32, exclude: ["a"] }, []);
    expect(lane.isWorthAClaim(), "only a may have more, and it holds enough").toBe(false);
    for (let n = 0; n < 22; n++) {
      end("a");
      begin();
    }
    expect(lane.isWorthAClaim(), "8 are left, of which 4 run").toBe(false);
    end("a");
    expect(lane.isWorthAClaim()).toBe(true);
  });

  it("is worth none where the last claim found less than there was room for", () => {
    const { lane, add, begin, end } = laneOf();
    lane.claimed({ limit: 30, perTarget: 32, exclude: [] }, ["a", "b"]);
    add("a", 1);
    add("b", 1);
    begin();
    end("a");
    expect(lane.isWorthAClaim()).toBe(false);
  });

  it("leaves targets in trouble out of large claims, and gets two at a time of them with careful ones", () => {
    const { lane, add, begin, end, trouble } = laneOf();
    expect(lane.hasTroubledRoom()).toBe(false);
    trouble("dead");
    expect(lane.claimable(false).exclude).toEqual(["dead"]);
    expect(lane.isWorthAClaim(), "it is looked for now and then").toBe(false);
    expect(lane.hasTroubledRoom()).toBe(true);
    expect(lane.claimable(true)).toMatchObject({ perTarget: 2, exclude: [] });
    add("dead", 3);
    expect(begin()).toEqual(["dead", "dead"]);
    expect([lane.hasTroubledRoom(), lane.claimable(true).exclude]).toEqual([false, ["dead"]]);
    end("dead");
    expect(begin(), "its share doubles").toEqual(["dead"]);
  });

  it("gives back what has waited for a quarter of its lease, and keeps what runs", () => {
    const { lane, add, begin, go } = laneOf();
    add("a", 6);
    begin();
    go(10_000);
    add("a", 1);
    go(4_999);
    expect(lane.takeBack()).toEqual([]);
    go(1);
    expect(lane.takeBack().map(({ id }) => id)).toEqual(["job4", "job5"]);
    expect(lane.isWaiting()).toBe(true);
    expect(lane.takeBack(true).map(({ id }) => id)).toEqual(["job6"]);
    expect([lane.isWaiting(), lane.claimable(false).limit]).toEqual([false, 26]);
  });

  it("keeps the later claim of a job whose earlier one was lost", () => {
    const { lane, job } = laneOf();
    lane.add({ ...job("a", "one"), version: 2 } as never);
    lane.add({ ...job("a", "one"), version: 4 } as never);
    expect(lane.takeBack(true)).toEqual([{ id: "one", value: { target: "a" }, version: 4 }]);
  });

  it("may find more of a target of which the last claim brought as many as one may", () => {
    for (const [perTarget, isWorth] of [
      [2, true],
      [3, false],
    ] as const) {
      const { lane, add, begin } = laneOf();
      lane.claimed({ limit: 30, perTarget, exclude: [] }, ["a", "b", "a"]);
      add("a", 2);
      add("b", 1);
      begin();
      expect(lane.isWorthAClaim(), `${perTarget} of each`).toBe(isWorth);
    }
  });

  it("claims nothing more while all places are taken and more than a quarter of the queue waits", () => {
    const { lane, add, begin, end } = laneOf({ perTarget: 10 });
    lane.claimed({ limit: 30, perTarget: 80, exclude: [] }, Array(30).fill("a"));
    add("a", 16);
    begin();
    expect(lane.isWorthAClaim(), "10 run, and 6 wait").toBe(false);
    end("a");
    expect(lane.isWorthAClaim(), "a place is free").toBe(true);
    begin();
    expect(lane.isWorthAClaim(), "10 run, and 5 wait").toBe(true);
  });

  it("leaves a target out once it holds as many as it may", () => {
    const { lane, add, trouble } = laneOf();
    add("a", 7);
    expect(lane.claimable(false).exclude).toEqual([]);
    add("a", 1);
    expect(lane.claimable(false).exclude).toEqual(["a"]);
    trouble("dead");
    add("dead", 1);
    expect([lane.hasTroubledRoom(), lane.claimable(true).exclude]).toEqual([true, ["a"]]);
    add("dead", 1);
    expect([lane.hasTroubledRoom(), lane.claimable(true).exclude]).toEqual([false, ["a", "dead"]]);
  });

  it("names the latest hundred of its targets in trouble", () => {
    const { lane, trouble } = laneOf();
    for (let n = 0; n < 101; n++) trouble(`dead${n}`);
    const { exclude } = lane.claimable(false);
    expect([exclude.length, exclude[0], exclude[99]]).toEqual([100, "dead1", "dead100"]);
  });

  it("has no room for a target in trouble while it is full", () => {
    const { lane, add, begin, trouble } = laneOf({ perTarget: 10 });
    trouble("dead");
    add("a", 30);
    begin();
    expect([lane.claimable(true).limit, lane.hasTroubledRoom()]).toEqual([0, false]);
  });

  it("counts a run that could not wait", () => {
    const { lane, add, begin } = laneOf();
    for (let n = 0; n < 10; n++) lane.take(`target${n}`);
    add("a", 1);
    expect(begin()).toEqual([]);
  });

  it("judges a target by no job that was put elsewhere", () => {
    const { lane, end } = laneOf();
    for (let n = 0; n < 5; n++) {
      lane.take("a");
      end("a", { ...silent, moved: { target: "b", at: 0 } });
    }
    expect(lane.claimable(false).exclude).toEqual([]);
  });

  it("gives back by the process' own time where the clock was set back", () => {
    const { lane, add, go } = laneOf();
    const up = vi.spyOn(performance, "now").mockReturnValue(0);
    onTestFinished(() => up.mockRestore());
    add("a", 1);
    go(-600_000);
    up.mockReturnValue(14_999);
    expect(lane.takeBack()).toEqual([]);
    up.mockReturnValue(15_000);
    expect(lane.takeBack()).toHaveLength(1);
  });
});
