import type { Core } from "../../core/core.ts";
import { put, type Row } from "../../core/rows.ts";
import { StaleWriteError } from "../../drivers/storage/types.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { block, nullable, text } from "../../lib/leaves.ts";
import type { MarkId } from "../../model/marks.ts";
import { quietOf } from "../../model/quiet.ts";
import type { MarkRecord } from "../../model/records.ts";
import { formCounter } from "../forms/counters.ts";
import { tellHost, wakeHost } from "../webhooks/host-events.ts";
import { toOverviews } from "./overview.ts";

/** Days to judge a silence by. A longer silence was reported when it began. */
export const QUIET_WINDOW = 30;

interface Told extends MarkRecord {
  /** The last post before the silence. */
  last: string;
}
const toldLeaf = block<Told>({ last: text(), expires_at: nullable(text()) });

/** Emits `form.quiet` for those forms that have fallen silent: once for each silence, in one process. */
export async function tellQuiet(core: Core, forms: readonly Row<"forms">[]): Promise<void> {
  const now = core.clock.now();
  const active = forms.filter(({ value }) => value.active);
  const lasts = await core.rows.many(
    "counters",
    active.map(({ id }) => formCounter(id, "all")),
  );
  // Most forms are out with the one counter that was read.
  const silent = active.filter(({ id }) => {
    const since = now - Date.parse(lasts.get(formCounter(id, "all"))?.value.at ?? "");
    return since > 2 * DAY_MS && since < QUIET_WINDOW * DAY_MS;
  });
  if (silent.length === 0) return;
  for (const { id, team_id, days, last_submission_at } of await toOverviews(core, silent, QUIET_WINDOW)) {
    const quiet = quietOf(days);
    if (!quiet || last_submission_at === null) continue;
    const markId: MarkId = `quiet:${id}`;
    const mark = await core.rows.mark(markId, toldLeaf);
    if (mark?.value.last === last_submission_at) continue;
    const told: Told = { last: last_submission_at, expires_at: iso(now + 2 * QUIET_WINDOW * DAY_MS) };
    const event = { form_id: id, team_id, ...quiet, last_submission_at };
    const host = tellHost(core, "form.quiet", event);
    try {
      await core.commitNow([put("marks", markId, told, mark?.version ?? null), ...host]);
    } catch (error) {
      // Another process has just told.
      if (error instanceof StaleWriteError) continue;
      throw error;
    }
    core.events.emit("form.quiet", event);
    wakeHost(core);
  }
}
