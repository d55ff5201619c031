import type { Core } from "../../core/core.ts";
import { remove } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { SNOOZED_RUN } from "./runs.ts";
import { change } from "./service.ts";

/** Submissions that one look returns; the next look returns more. */
const MOST = 100;
/** Nobody: their time came. */
const TIME = { id: "", name: "" };

/**
 * Returns the snoozed submissions whose time has come, unread. Lists of open ones look first, so they are right without a timer;
 * the hourly sweep looks too, for those who listen to events.
 */
export async function returnSnoozed(core: Core): Promise<void> {
  const rows = await core.rows.all("submission_runs", {
    index: "run",
    equals: { run: SNOOZED_RUN },
    where: [{ column: "at", op: "lt", value: iso(core.clock.now() + 1) }],
    most: MOST,
  });
  for (const row of rows) {
    const { submission_id: id } = row.value;
    const submission = await core.rows.get("submissions", id);
    try {
      if (!submission?.value.work?.snoozed_until) await core.commitNow([remove("submission_runs", row.id)]);
      else await change(core, { formId: submission.value.form_id, id, patch: back, deliver: false, by: TIME });
    } catch (error) {
      // Somebody else has removed it.
      if (!(error instanceof ApiError) || error.code !== "submission_not_found") throw error;
    }
  }
}

const back = { snoozed_until: null, read: false } as const;
