import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { countedCounter, formCounter, seenCounter } from "../../../../src/features/forms/counters.ts";
import { harness } from "../../../_support/backend.ts";

const DAY = 86_400_000;

async function counted(keep_for: "30_days" | "forever" = "forever") {
  const storage = memoryStorage();
  const b = harness({ storage });
  const { id } = await b.forms.create({ name: "A", storage: { keep_for } });
  const kept = async (...of: string[]) => {
    const ids = [...of.map((one) => formCounter(id, one)), seenCounter(id), countedCounter(id)];
    return [...(await storage.get("counters", ids)).keys()].map((one) => one.replace(formCounter(id, ""), "")).sort();
  };
  const send = (fields = {}) => b.post(id, { n: "1", ...fields });
  return { b, id, send, kept };
}

describe("the counters of a form", () => {
  it("of single days go once no overview shows them, and those of their months stay", async () => {
    const { b, send, kept, id } = await counted();
    await send();
    await b.clock.advance(89 * DAY);
    await b.sweep();
    expect((await b.forms.overview({ days: 90 })).data[0]?.days[0]).toBe(1);
    expect(await kept("all", "2026-01", "2026-01-01")).toEqual(["2026-01", "2026-01-01", "all", "counted:open"]);
    await b.clock.advance(3 * DAY);
    await b.sweep();
    expect(await kept("all", "2026-01", "2026-01-01")).toEqual(["2026-01", "all", "counted:open"]);
    expect((await b.forms.get(id)).submissions.all_time).toBe(1);
  });

  it("are removed with the form, and after the last of its submissions", async () => {
    const { b, send, kept, id } = await counted("30_days");
    await send();
    await b.clock.advance(20 * DAY);
    await send();
    await send({ _gotcha: "filled" });
    await b.sweep();
    const all = ["all", "2026-01", "2026-01-01", "2026-01-21"];
    expect(await kept(...all)).toHaveLength(6);
    await b.forms.delete(id);
    expect(await kept(...all)).toEqual([]);
    await b.clock.advance(32 * DAY);
    await b.sweep();
    await b.clock.advance(DAY);
    await b.sweep();
    expect(await kept(...all)).toEqual([]);
  });
});
