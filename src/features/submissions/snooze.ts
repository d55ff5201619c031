import type { Core } from "../../core/core.ts";
import { type Row, remove } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import type { Caller } from "../../model/keys.ts";
import { SNOOZED_RUN, snoozedRun } from "./runs.ts";
import { change } from "./service.ts";

/** Submissions that one look returns; the next look returns more. */
const MOST = 100;
/** Nobody: their time came. */
const TIME = { id: "", name: "" };

/**
 * Returns the snoozed submissions of these teams whose time has come, unread; null = of all teams. Lists of open ones look first,
 * so they are right without a timer, and no team's list does another one's work.
 */
export async function returnSnoozed(core: Core, teams: readonly string[] | null): Promise<void> {
  let left = MOST;
  for (const run of teams === null ? [SNOOZED_RUN] : new Set(teams.map(snoozedRun))) {
    if (left <= 0) return;
    const rows = await core.rows.all("submission_runs", { ...due(core, run), most: left });
    left -= rows.length;
    for (const row of rows) await bringBack(core, row);
  }
}

/** The same for the team of a form; for the caller's teams where the form is gone. */
export async function returnSnoozedOf(core: Core, caller: Caller, formId: string): Promise<void> {
  const form = await core.rows.cached("forms", formId);
  await returnSnoozed(core, form ? [form.value.team_id] : caller.team_ids);
}

/** The same for every team and without a limit, where nobody has looked: the sweep, for those who listen to events. */
export async function returnAllSnoozed(core: Core, alive: () => Promise<void>): Promise<void> {
  for await (const rows of core.rows.walk("submission_runs", { ...due(core, SNOOZED_RUN), limit: MOST })) {
    await alive();
    for (const row of rows) await bringBack(core, row);
  }
}

const due = (core: Core, run: string) => ({
  index: "run",
  equals: { run },
  where: [{ column: "at", op: "lt", value: iso(core.clock.now() + 1) }] as const,
});

async function bringBack(
  core: Core,
  { id: entry, value: { submission_id: id } }: Row<"submission_runs">,
): Promise<void> {
  const submission = await core.rows.get("submissions", id);
  const until = submission?.value.work?.snoozed_until;
  try {
    if (!submission || !until) await core.commitNow([remove("submission_runs", entry)]);
    // Snoozed once more meanwhile.
    else if (Date.parse(until) > core.clock.now()) return;
    else await change(core, { formId: submission.value.form_id, id, patch: back, deliver: false, by: TIME });
  } catch (error) {
    // Somebody else has removed it.
    if (!(error instanceof ApiError) || error.code !== "submission_not_found") throw error;
  }
}

const back = { snoozed_until: null, read: false } as const;
