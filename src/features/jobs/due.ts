import type { Core } from "../../core/core.ts";
import type { DueInLane } from "../../core/telemetry.ts";
import { iso } from "../../lib/clock.ts";

/** A count that takes longer returns what it has found so far. */
const BUDGET_MS = 500;

/** The jobs of each lane that are due and that no worker has taken, by the index of due jobs. */
export const dueByLane = (core: Core, lanes: readonly string[]): Promise<DueInLane[]> =>
  Promise.all(
    lanes.map(async (lane) => {
      const now = core.storeClock.now();
      const where = [{ column: "due_at", op: "lt", value: iso(now + 1) }] as const;
      const [{ count }, next] = await Promise.all([
        core.storage.count("jobs", { index: "due", equals: { lane }, where, budgetMs: BUDGET_MS }),
        core.storage.nextDueAt(lane),
      ]);
      return { lane, count, oldest: next === null ? 0 : Math.max(0, (now - next) / 1_000) };
    }),
  );

/** The time of the first job of these lanes that is due, past or to come, in epoch ms; null for none. */
export async function firstDueAt({ storage }: Core, lanes: readonly string[]): Promise<number | null> {
  const due = await Promise.all(lanes.map((lane) => storage.nextDueAt(lane)));
  const times = due.filter((at) => at !== null);
  return times.length === 0 ? null : Math.min(...times);
}
