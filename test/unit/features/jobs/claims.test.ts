import { describe, expect, it } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import type { Stored, Write } from "../../../../src/drivers/storage/types.ts";
import { beginLastChance, claimDue, giveAllBack, giveBack } from "../../../../src/features/jobs/leases.ts";
import { iso, systemClock } from "../../../../src/lib/clock.ts";
import type { JobRecord } from "../../../../src/model/jobs.ts";

const STORE = Date.parse("2026-03-01T12:00:00.000Z");
const job = (id: string, more: Partial<JobRecord> = {}): Stored<JobRecord> => ({
  id,
  version: 4,
  value: { target: `to ${id}`, leased: true, lost: 2, due_at: iso(STORE + 60_000), ...more } as JobRecord,
});

function setUp({ clock = { ...systemClock, now: () => STORE - 5_000 }, failing = "" } = {}) {
  const committed: { writes: readonly Write[]; bytes: number }[] = [];
  const noted: number[][] = [];
  const queries: object[] = [];
  const core = {
    clock,
    storeClock: { now: () => STORE, note: (...times: number[]) => void noted.push(times) },
    storage: {
      async claim(query: object) {
        queries.push(query);
        return { now: STORE, jobs: [job("a"), job("b")] };
      },
    },
    rows: { readable: (_: string, rows: Stored<JobRecord>[]) => rows.filter(({ id }) => id !== "b") },
    async commitTogether(writes: readonly Write[], bytes: number) {
      committed.push({ writes, bytes });
      if (writes.some(({ id }) => id === failing)) throw new Error("the store is down");
    },
  } as unknown as Core;
  const claimed: unknown[] = [];
  const lane = (limit: number) =>
    ({
      name: "webhook",
      row: { leaseMs: 1_000 },
      queue: {
        claimable: (careful: boolean) => ({ limit, exclude: ["x"], perTarget: careful ? 1 : 8 }),
        claimed: (...args: unknown[]) => void claimed.push(args),
      },
    }) as unknown as Parameters<typeof claimDue>[1];
  return { core, committed, noted, queries, claimed, lane };
}

describe("a claim", () => {
  it("asks for as many as the lane has room for, and tells the lane and the store's clock what came", async () => {
    const { core, noted, queries, claimed, lane } = setUp();
    expect((await claimDue(core, lane(5), true)).map(({ id }) => id)).toEqual(["a"]);
    expect(queries).toEqual([
      { lane: "webhook", leaseMs: 1_000, limit: 5, exclude: ["x"], perTarget: 1, now: STORE - 5_000 },
    ]);
    expect(noted).toEqual([[STORE, STORE - 5_000]]);
    expect(claimed).toEqual([[{ limit: 5, exclude: ["x"], perTarget: 1 }, ["to a"]]]);
  });

  it("leaves the time to the store where no clock is injected, and does not ask where there is no room", async () => {
    const { core, queries, lane } = setUp({ clock: systemClock });
    await claimDue(core, lane(5), false);
    expect(queries).toMatchObject([{ now: undefined, perTarget: 8 }]);
    expect(await claimDue(core, lane(0), false)).toEqual([]);
    expect(queries).toHaveLength(1);
  });
});

describe("a job that is given back", () => {
  it("is due after a while, without a lease, as if it had not been claimed", async () => {
    const { core, committed } = setUp();
    const row = job("a", { last_chance: 2 });
    await giveBack(core, row, 700);
    const { last_chance: _, ...rest } = row.value;
    const value = { ...rest, leased: false, due_at: iso(STORE + 700) };
    expect(committed).toEqual([
      { writes: [{ op: "put", collection: "jobs", id: "a", value, expect: 4 }], bytes: 1_000 },
    ]);
    // Not as an undefined member either, which the comparison above takes for none.
    expect(JSON.stringify(committed[0]?.writes)).not.toContain("last_chance");
    expect(committed[0]?.writes[0]).not.toHaveProperty("value.last_chance");
    await giveBack(core, row);
    expect(committed[1]?.writes).toMatchObject([{ value: { due_at: iso(STORE) } }]);
    // The caller's row is its own.
    expect(row.value.last_chance).toBe(2);
  });

  it("does not keep the others from being given back", async () => {
    const { core, committed } = setUp({ failing: "a" });
    await giveAllBack(core, [job("a"), job("b")]);
    expect(committed.flatMap(({ writes }) => writes.map(({ id }) => id))).toEqual(["a", "b"]);
    await expect(giveBack(core, job("a"))).rejects.toThrow("the store is down");
  });

  it("notes that its last run begins, under the version that it has then", async () => {
    const { core, committed } = setUp();
    const begun = await beginLastChance(core, job("a"));
    expect(begun).toEqual({ ...job("a", { last_chance: 2 }), version: 5 });
    expect(committed).toMatchObject([{ writes: [{ id: "a", expect: 4, value: { last_chance: 2 } }], bytes: 1_000 }]);
  });
});
