import type { Core } from "../../core/core.ts";
import { put, retrying } from "../../core/rows.ts";
import { block, nullable, text } from "../../lib/leaves.ts";
import { comparePositions } from "../../model/collections.ts";
import type { MarkId } from "../../model/marks.ts";
import type { MarkRecord } from "../../model/records.ts";
import { senderOf } from "../../model/sender.ts";

/** Submissions of one commit. */
const BATCH = 100;
/** Time that one sweep spends on it. The next sweep goes on. */
const BUDGET_MS = 5_000;
const MARK: MarkId = "senders";

/** The team that was begun last, and the time up to which its submissions have been seen. */
interface Place extends MarkRecord {
  made: string;
  team: string;
  until: string;
}
const placeLeaf = block<Place>({ expires_at: nullable(text()), made: text(""), team: text(""), until: text("") });
/** After the time of every team. */
const END = "9";

/**
 * Names the senders of submissions that were stored before the store had a column for them. Each team is gone through once; from
 * then on a sweep reads the mark alone. A process of an older version that still takes posts after that names none.
 */
export async function fillSenders(core: Core, budgetMs = BUDGET_MS): Promise<void> {
  const began = performance.now();
  const isOver = (): boolean => performance.now() - began > budgetMs;
  const { made = "", team = "", until = "" } = (await core.rows.mark(MARK, placeLeaf))?.value ?? {};
  if (made === END) return;
  for await (const teams of core.rows.walk("teams", { index: "all" })) {
    for (const { id, value } of teams) {
      const order = comparePositions({ sort: value.created_at, id }, { sort: made, id: team });
      if (order < 0) continue;
      const place = { made: value.created_at, team: id, until: order === 0 ? until : "" };
      if (!(await fillThose(core, place, isOver))) return;
    }
  }
  await reached(core, { made: END, team: "", until: "" });
}

const reached = (core: Core, place: Omit<Place, "expires_at">): Promise<void> => {
  const value: Place = { expires_at: null, ...place };
  return core.commitNow([put("marks", MARK, value)]);
};

/** False if the time was used up before the end of the team. */
async function fillThose(
  core: Core,
  { until, ...place }: Omit<Place, "expires_at">,
  isOver: () => boolean,
): Promise<boolean> {
  const where = until === "" ? [] : [{ column: "created_at", op: "gte", value: until } as const];
  const query = { index: "team_sender", equals: { team_id: place.team, sender: null }, where, limit: BATCH };
  for await (const rows of core.rows.walk("submissions", query)) {
    const unnamed = rows.filter(({ value }) => senderOf(value.fields) !== null).map(({ id }) => id);
    if (unnamed.length > 0) {
      await retrying(async () => {
        const current = [...(await core.rows.many("submissions", unnamed)).values()];
        const named = current.map(({ id, value, version }) =>
          put("submissions", id, { ...value, sender: senderOf(value.fields) }, version),
        );
        await core.commitNow(named);
      });
    }
    if (!isOver()) continue;
    await reached(core, { ...place, until: rows.at(-1)?.value.created_at ?? until });
    return false;
  }
  return true;
}
