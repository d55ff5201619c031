import type { Core } from "../../../core/core.ts";
import { iso } from "../../../lib/clock.ts";
import { unprotected } from "../../../model/field-policy.ts";
import { forgottenLeaf, forgottenMark } from "../../../model/spam-model.ts";
import type { SubmissionField } from "../../../model/submission-field.ts";
import type { SubmissionRecord } from "../../../model/submission-record.ts";
import { markedRun } from "../marked-run.ts";
import type { Sample } from "./regression.ts";
import { placesOf } from "./tokens.ts";

/** The newest marks that a model learns from. */
const MOST_MARKS = 100_000;

/** Submissions that people of a team marked, newest first. */
export interface Marked {
  readonly samples: readonly Sample[];
  /** The time of the oldest. */
  readonly since: string | null;
}

/**
 * The marks that people set in a team since it last forgot, from the store: a submission that was erased or deleted is not among them.
 * Values that a form protects now, or protected when they came, are left out.
 */
export async function marksOf(core: Core, team_id: string, pause: () => Promise<void> | undefined): Promise<Marked> {
  const forgotten = await core.rows.mark(forgottenMark(team_id), forgottenLeaf);
  const from = forgotten ? iso(Date.parse(forgotten.value.since) + 1) : null;
  const samples: Sample[] = [];
  let since: string | null = null;
  const newest = core.rows.walk("submission_runs", {
    index: "run",
    equals: { run: markedRun(team_id) },
    order: "desc",
    most: MOST_MARKS,
    ...(from !== null && { where: [{ column: "at", op: "gte", value: from }] }),
  });
  for await (const entries of newest) {
    const rows = await core.rows.many(
      "submissions",
      entries.map(({ value }) => value.submission_id),
    );
    for (const { value: entry } of entries) {
      const record = rows.get(entry.submission_id)?.value;
      const form = record?.marked && (await core.rows.cached("forms", record.form_id));
      if (!form || !record?.marked) continue;
      const places = placesOf(unprotected(form.value.settings.fields, openFields(record)));
      const held = record.verdict.some(({ spam, check }) => spam && check !== "learned");
      samples.push({ places, spam: record.marked.spam, held });
      since = record.marked.at;
      await pause();
    }
  }
  return { samples, since };
}

/** The values that were stored as they came. */
function openFields({ fields, protected: kept }: SubmissionRecord): readonly SubmissionField[] {
  if (!kept) return fields;
  const closed = new Set(kept.values.map(({ at }) => at));
  return fields.filter((_, at) => !closed.has(at));
}
