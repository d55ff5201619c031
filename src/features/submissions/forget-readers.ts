import type { Core } from "../../core/core.ts";
import { put, type Row, retrying } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import { block, nullable, text } from "../../lib/leaves.ts";
import type { MarkId } from "../../model/marks.ts";
import { APART_MS } from "../../model/readers.ts";
import type { MarkRecord } from "../../model/records.ts";
import { apartCounter } from "../forms/counters.ts";
import { type Change, tallied } from "./tally.ts";

/** Submissions of one commit. */
const BATCH = 100;
/** Time that one sweep spends on it. The next sweep goes on. */
const BUDGET_MS = 5_000;

interface Until extends MarkRecord {
  /** The time up to which submissions were looked at. */
  until: string;
}
const untilLeaf = block<Until>({ expires_at: nullable(text()), until: text("") });

/**
 * Removes the names of those who have read submissions that are too old to tell people apart, and counts them as read by everybody.
 * Each submission is looked at once. Returns the remaining time.
 */
export async function forgetReaders(core: Core, forms: readonly Row<"forms">[], budgetMs = BUDGET_MS): Promise<number> {
  const began = performance.now();
  const left = (): number => budgetMs - (performance.now() - began);
  const counters = await core.rows.many(
    "counters",
    forms.map(({ id }) => apartCounter(id)),
  );
  for (const { id } of forms) {
    if (left() <= 0) break;
    if ((counters.get(apartCounter(id))?.value.n ?? 0) > 0) await forgetThose(core, id, left);
  }
  return left();
}

async function forgetThose(core: Core, form_id: string, left: () => number): Promise<void> {
  const markId: MarkId = `readers:${form_id}`;
  const old = core.clock.now() - APART_MS;
  const mark = await core.rows.mark(markId, untilLeaf);
  // Nobody is named in a submission that was as old as this when it was read.
  const from = mark?.value.until || iso(old - APART_MS);
  const where = [
    { column: "created_at", op: "gte", value: from },
    { column: "created_at", op: "lt", value: iso(old) },
  ] as const;
  for await (const rows of core.rows.walk("submissions", { index: "form", equals: { form_id }, where, limit: BATCH })) {
    await retrying(async () => {
      const named = rows.filter(({ value }) => value.read_by);
      const current =
        named.length === 0
          ? []
          : (
              await core.rows.many(
                "submissions",
                named.map(({ id }) => id),
              )
            ).values();
      const writes: Write[] = [];
      const changes: Change[] = [];
      for (const { id, value: before, version } of current) {
        const { read_by: _, ...after } = before;
        writes.push(put("submissions", id, after, version));
        changes.push({ id, before, after });
      }
      const now = core.clock.now();
      // Without the mark, the next look begins earlier, and finds the same.
      const mark: Until = { expires_at: iso(now + APART_MS), until: rows.at(-1)?.value.created_at ?? from };
      await core.commitNow([...writes, ...tallied(changes, iso(now)), put("marks", markId, mark)]);
    });
    if (left() <= 0) return;
  }
}
