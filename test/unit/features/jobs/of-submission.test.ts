import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { PageQuery } from "../../../../src/drivers/storage/types.ts";
import { jobsOf, troublesOf } from "../../../../src/features/jobs/of-submission.ts";
import { time } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { coreWithJobs } from "./_rows.ts";

const listed = (id: string, n: number, form_id = "f1") => ({ id, form_id, created_at: time(n) });

/** A core over a store that records what is read of the deliveries. */
async function watched() {
  const storage = memoryStorage();
  const reads: PageQuery[] = [];
  const page: typeof storage.page = (collection, query) => {
    if (collection === "jobs") reads.push(query);
    return storage.page(collection, query);
  };
  const world = await coreWithJobs({ storage: { ...storage, page } });
  return {
    ...world,
    reads,
    of: async (...list: ReturnType<typeof listed>[]) => [...(await troublesOf(world.core, list))],
  };
}

describe("the deliveries of a submission", () => {
  it("are all of its own, oldest first", async () => {
    const { core, add } = await coreWithJobs();
    await add("b", 1, { created_at: time(2) });
    await add("a", 1, { created_at: time(1), kind: "owner_email", to: "ann@example.com" });
    await add("c", 1, { submission_id: "s2" });
    expect((await jobsOf(core, "s1")).map(({ id }) => id)).toEqual(["a", "b"]);
  });
});

describe("the submissions of a list with a delivery in trouble", () => {
  it("are named with the worse state, whichever comes first", async () => {
    const { add, of } = await watched();
    const state = (id: string, submission_id: string, status: string, n: number) =>
      add(id, null, { submission_id, status, created_at: time(n) });
    await state("1", "failed first", "failed", 1);
    await state("2", "failed first", "retrying", 2);
    await state("3", "retrying first", "retrying", 1);
    await state("4", "retrying first", "failed", 2);
    await state("5", "retrying", "retrying", 1);
    for (const status of ["succeeded", "pending", "skipped"]) await state(status, "fine", status, 1);
    const list = ["failed first", "retrying first", "retrying", "fine"].map((id) => listed(id, 3));
    expect(Object.fromEntries(await of(...list))).toEqual({
      "failed first": "failed",
      "retrying first": "failed",
      retrying: "retrying",
    });
  });

  it("are those of the list alone, of each of its forms", async () => {
    const { add, of, reads } = await watched();
    await add("1", null, { submission_id: "s1", status: "failed" });
    await add("2", null, { submission_id: "s2", form_id: "f2", status: "retrying" });
    await add("3", null, { submission_id: "s3", status: "failed" });
    expect((await of(listed("s1", 1), listed("s2", 1, "f2"))).sort()).toEqual([
      ["s1", "failed"],
      ["s2", "retrying"],
    ]);
    expect(reads.map(({ equals, columnsOnly }) => [equals, columnsOnly])).toEqual([
      [{ form_id: "f1" }, true],
      [{ form_id: "f2" }, true],
    ]);
    expect(await of()).toEqual([]);
  });

  it("are found though another clock planned the delivery, up to a minute after the newest of them", async () => {
    const { add, of, reads } = await watched();
    await add("1", null, { status: "failed", created_at: time(59) });
    expect(await of(listed("s1", 0), listed("s0", -5))).toEqual([["s1", "failed"]]);
    expect(reads).toMatchObject([{ after: { sort: time(60), id: "" }, order: "desc" }]);
  });

  it("are read one by one where their deliveries are not among the latest 400 of the form, four at a time", async () => {
    const { core, add, of, reads } = await watched();
    await add("old", null, { submission_id: "s1", status: "failed", created_at: time(0) });
    const busy = Array.from({ length: 400 }, (_, n) => `busy${n}`);
    for (const id of busy) await add(id, null, { submission_id: "busy", created_at: time(1_000) });
    reads.length = 0;
    const more = Array.from({ length: 5 }, (_, n) => listed(`s${n + 2}`, 1));
    let together = 0;
    let most = 0;
    const { page } = core.storage;
    core.storage.page = async (collection, query) => {
      if (query.index !== "submission") return page(collection, query);
      most = Math.max(most, ++together);
      const rows = await page(collection, query);
      together--;
      return rows;
    };
    // The deliveries of `new` and `beyond` are later than the oldest of the 400, so they have been read already.
    expect(
      await of(listed("s1", 0), ...more, listed("new", 2_000), listed("edge", 1_060), listed("beyond", 1_061)),
    ).toEqual([["s1", "failed"]]);
    expect(reads.slice(1).map(({ equals, columnsOnly }) => [equals["submission_id"], columnsOnly])).toEqual(
      ["s1", "s2", "s3", "s4", "s5", "s6", "edge"].map((id) => [id, true]),
    );
    expect(most).toBe(4);
  });

  it("are read once where the form has less than 400 deliveries of that time", async () => {
    const { add, of, reads } = await watched();
    for (let n = 0; n < 399; n++) await add(`job${n}`, null, { submission_id: "busy", created_at: time(10) });
    reads.length = 0;
    expect(await of(listed("s1", 10), listed("s2", 11))).toEqual([]);
    expect(reads).toHaveLength(1);
  });
});
