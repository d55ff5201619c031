import { createHash } from "node:crypto";
import { put, remove } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { Aside } from "../../model/work.ts";
import { markedRun } from "../spam/marked-run.ts";

/** Something that a submission can be found by: a label, or the id of the person who works on it. */
export interface Tag {
  readonly kind: "label" | "assignee";
  readonly value: string;
}

/** The run of all snoozed submissions, by the time of their return, and that of a team. */
export const SNOOZED_RUN = "snoozed";
export const snoozedRun = (team_id: string): string => hashed(["team", team_id, SNOOZED_RUN]);

/** Every place that a submission can have; each is a part of a tag's run. */
export const asides: readonly (Aside | null)[] = [null, "done", "snoozed"];

/** The run of a form's or a team's submissions with a tag, in one place. Hashed, so that it fits into an index. */
export const runOf = (of: "form" | "team", id: string, { kind, value }: Tag, aside: Aside | null): string =>
  hashed([of, id, kind, value, aside]);

const hashed = (parts: readonly (string | null)[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 32);

/** The row of a submission in a run. It begins with the submission's id, so that a run has the order of its submissions. */
export const rowIn = (run: string, submission_id: string): string => `${submission_id}:${run}`;

/** Every run that a submission is in, and its place there. */
function runsOf(record: SubmissionRecord | null): Map<string, string> {
  const runs = new Map<string, string>();
  if (record?.marked) runs.set(markedRun(record.team_id), record.marked.at);
  if (!record?.work) return runs;
  const { assignee, labels, snoozed_until } = record.work;
  const tags: Tag[] = labels.map((value) => ({ kind: "label", value }));
  if (assignee) tags.push({ kind: "assignee", value: assignee.id });
  for (const tag of tags) {
    runs.set(runOf("form", record.form_id, tag, record.aside ?? null), record.created_at);
    runs.set(runOf("team", record.team_id, tag, record.aside ?? null), record.created_at);
  }
  if (snoozed_until !== null) {
    runs.set(SNOOZED_RUN, snoozed_until);
    runs.set(snoozedRun(record.team_id), snoozed_until);
  }
  return runs;
}

/** The writes that take a submission out of its former runs and put it into its new ones. */
export function runWrites(id: string, before: SubmissionRecord | null, after: SubmissionRecord | null): Write[] {
  const [old, now] = [runsOf(before), runsOf(after)];
  return [
    ...[...old.keys()].filter((run) => !now.has(run)).map((run) => remove("submission_runs", rowIn(run, id))),
    ...[...now]
      .filter(([run, at]) => old.get(run) !== at)
      .map(([run, at]) => put("submission_runs", rowIn(run, id), { run, at, submission_id: id })),
  ];
}
