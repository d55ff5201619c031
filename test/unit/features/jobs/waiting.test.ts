import { describe, expect, it } from "vitest";
import { digestsOf, sendDigestsNow } from "../../../../src/features/jobs/digests.ts";
import { dueByLane, firstDueAt } from "../../../../src/features/jobs/due.ts";
import { waitingUnder } from "../../../../src/features/jobs/waiting.ts";
import { START, time } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { coreWithJobs } from "./_rows.ts";

describe("the jobs that wait under a target", () => {
  it("are all that are still due, oldest first, also beyond one page", async () => {
    const { core, add } = await coreWithJobs();
    for (let n = 0; n < 120; n++) await add(`job${n}`, 500, { target: "wait:1", occurred_at: time(n) });
    await add("ended", null, { target: "wait:1" });
    await add("other", 500, { target: "wait:2" });
    const found: string[] = [];
    for await (const { id } of waitingUnder(core, "wait:1")) found.push(id);
    expect(found).toEqual(Array.from({ length: 120 }, (_, n) => `job${n}`));
  });
});

describe("what was collected for the digests of a form", () => {
  const digest = { kind: "digest", lane: "email", target: digestsOf("f1"), to: "ann@example.com" };

  it("is due at once where it was due later, and the lane of mails is woken", async () => {
    const { core, clock, add, get } = await coreWithJobs();
    clock.set(START + 100_000);
    await add("later", 500, digest);
    await add("due already", 50, digest);
    await add("due just now", 100, digest);
    await add("of another form", 500, { ...digest, target: digestsOf("f2") });
    const woken: string[] = [];
    core.queue.wake = (lane) => void woken.push(lane);
    const versions = async () =>
      (await core.rows.many("jobs", ["due already", "due just now", "of another form"])).values();
    const before = [...(await versions())];
    await sendDigestsNow(core, "f1");
    expect((await get("later"))?.due_at).toBe(time(100));
    expect([...(await versions())]).toEqual(before);
    expect(woken).toEqual(["email"]);
  });

  it("wakes nobody where there is nothing, and leaves alone what runs already", async () => {
    const { core, add, change, get } = await coreWithJobs();
    const woken: string[] = [];
    core.queue.wake = (lane) => void woken.push(lane);
    await add("due", -10, digest);
    await sendDigestsNow(core, "f1");
    expect(woken).toEqual([]);

    await add("taken", 500, digest);
    const commit = core.commitNow;
    core.commitNow = async (writes) => {
      core.commitNow = commit;
      await change("taken", { leased: true, due_at: time(60) });
      return commit(writes);
    };
    await sendDigestsNow(core, "f1");
    expect(await get("taken")).toMatchObject({ leased: true, due_at: time(60) });
    core.commitNow = async () => {
      throw new Error("the store is down");
    };
    await expect(sendDigestsNow(core, "f1")).rejects.toThrow("the store is down");
  });
});

describe("what is due", () => {
  it("is counted for each lane, with the age of the oldest in seconds", async () => {
    const { core, clock, add } = await coreWithJobs();
    clock.set(START + 100_000);
    await add("old", 40);
    await add("now", 100);
    await add("later", 101);
    await add("mail", 200, { lane: "email" });
    expect(await dueByLane(core, ["webhook", "email", "batch"])).toEqual([
      { lane: "webhook", count: 2, oldest: 60 },
      { lane: "email", count: 0, oldest: 0 },
      { lane: "batch", count: 0, oldest: 0 },
    ]);
  });

  it("is first due when the first lane's first job is, null where there is none", async () => {
    const { core, add } = await coreWithJobs();
    expect(await firstDueAt(core, ["webhook", "email"])).toBeNull();
    await add("later", 500);
    expect(await firstDueAt(core, ["webhook", "email"])).toBe(START + 500_000);
    await add("mail", 200, { lane: "email" });
    expect(await firstDueAt(core, ["webhook", "email"])).toBe(START + 200_000);
    expect(await firstDueAt(core, [])).toBeNull();
  });
});
