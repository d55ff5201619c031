import { describe, expect, it } from "vitest";
import type { Stored } from "../../../../src/drivers/storage/types.ts";
import { createLastChances, isSpent } from "../../../../src/features/jobs/last-chance.ts";
import type { JobRecord } from "../../../../src/model/jobs.ts";

const row = (id: string, lost: number, last_chance?: number): Stored<JobRecord> => ({
  id,
  version: 1,
  value: { lost, ...(last_chance !== undefined && { last_chance }) } as JobRecord,
});

/** Last chances, and what they asked of the store. */
function watched({ failing = "", stuck = "" } = {}) {
  const asked: string[] = [];
  const chances = createLastChances({
    async begin(one) {
      asked.push(`begin ${one.id}`);
      if (one.id === failing) throw new Error("the store is down");
      return { ...one, version: one.version + 1 };
    },
    async giveBack({ id }, afterMs) {
      asked.push(`back ${id} ${afterMs}`);
      if (id === stuck) throw new Error("the store is down");
    },
  });
  const admitted = async (rows: readonly Stored<JobRecord>[], apartMs = 100) =>
    (await chances.admit(rows, apartMs)).map(({ id, version }) => `${id} ${version}`);
  return { asked, admitted, chances };
}

describe("jobs with one claim left", () => {
  it("run one at a time, beside all others, and the rest comes back one after the other", async () => {
    const { asked, admitted, chances } = watched();
    expect(await admitted([row("a", 0), row("b", 2), row("c", 1), row("d", 2), row("e", 3)])).toEqual([
      "a 1",
      "b 2",
      "c 1",
    ]);
    expect(asked.sort()).toEqual(["back d 100", "back e 200", "begin b"]);
    expect(chances.current()).toBe("b");
    asked.length = 0;
    // Nobody begins while it runs.
    expect(await admitted([row("d", 2), row("f", 0)])).toEqual(["f 1"]);
    expect(asked).toEqual(["back d 100"]);
    chances.ended("x");
    expect(chances.current()).toBe("b");
    chances.ended("b");
    expect(chances.current()).toBeNull();
    expect(await admitted([row("d", 2)])).toEqual(["d 2"]);
  });

  it("that can't begin in the store do not run, and hold up nobody", async () => {
    const { admitted, chances } = watched({ failing: "b" });
    expect(await admitted([row("a", 0), row("b", 2)])).toEqual(["a 1"]);
    expect(chances.current()).toBeNull();
    expect(await admitted([row("d", 2)])).toEqual(["d 2"]);
  });

  it("that the store does not take back do not run either", async () => {
    const { admitted } = watched({ stuck: "d" });
    expect(await admitted([row("b", 2), row("d", 2)])).toEqual(["b 2"]);
  });

  it("are let through once their process has ended in that run, since they are to fail", async () => {
    const { admitted, asked } = watched();
    expect(await admitted([row("a", 3, 2), row("b", 2, 2)])).toEqual(["a 1", "b 2"]);
    expect(asked).toEqual(["begin b"]);
    expect([isSpent(row("a", 3, 2).value), isSpent(row("a", 2, 2).value), isSpent(row("a", 9).value)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("cost the others nothing", async () => {
    const { admitted, asked } = watched();
    expect(await admitted([row("a", 0), row("b", 1)])).toEqual(["a 1", "b 1"]);
    expect(asked).toEqual([]);
  });
});
