import { wrongParameter } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { withReader } from "../../model/readers.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import type { SubmissionPatch } from "../../model/submissions.ts";
import { MAX_LABELS, noWork, workOf } from "../../model/work.ts";

/** The members that a change can name. */
export type ChangedMember = "read" | "spam" | "state" | "assignee" | "labels" | "snoozed_until" | "notes";

/** A patch, or one label of a bulk action. */
export interface WorkPatch extends SubmissionPatch {
  readonly add_label?: string;
  readonly remove_label?: string;
}

/** Something that a person did, for the line below a submission. */
export interface Act {
  readonly what: string;
  readonly text: string;
}

/** A submission after a change. */
export interface Changed {
  readonly next: SubmissionRecord;
  readonly members: readonly ChangedMember[];
  readonly acts: readonly Act[];
  /** False where a person only said once more what it is. */
  readonly isSeen: boolean;
}

/** Throws `invalid_parameter` for a patch that can never hold: a snooze in the past, or of a submission that is done. */
export function assertPatch(patch: WorkPatch, now: number): void {
  const { snoozed_until, state } = patch;
  if (snoozed_until === undefined || snoozed_until === null) return;
  if (Date.parse(snoozed_until) <= now) throw wrongParameter("snoozed_until", "must be a time in the future");
  if (state === "done") throw wrongParameter("snoozed_until", "can't be set together with the state `done`");
}

/**
 * The submission with the patch's members; null if it has them already. `reader` is the person who reads it, if a person does. Throws
 * `invalid_parameter` for one label too many.
 */
export function changeOf(record: SubmissionRecord, patch: WorkPatch, now: number, reader?: string): Changed | null {
  const before = { ...workOf(record), read: record.read, spam: record.spam, aside: record.aside ?? null };
  const after = { ...before, read: patch.read ?? before.read, spam: patch.spam ?? before.spam };
  if (patch.assignee !== undefined) after.assignee = patch.assignee;
  after.labels = labelsOf(before.labels, patch);
  if (patch.state !== undefined)
    Object.assign(after, { aside: patch.state === "done" ? "done" : null, snoozed_until: null });
  if (patch.snoozed_until) Object.assign(after, { aside: "snoozed", snoozed_until: patch.snoozed_until });
  else if (patch.snoozed_until === null && after.aside === "snoozed")
    Object.assign(after, { aside: null, snoozed_until: null });
  after.state = after.aside === "done" ? "done" : "open";

  const isOther = (member: ChangedMember): boolean => JSON.stringify(before[member]) !== JSON.stringify(after[member]);
  const members = (["read", "spam", "state", "assignee", "labels", "snoozed_until"] as const).filter(isOther);
  const readers = patch.read === true && reader !== undefined ? withReader(record, reader, now) : record.read_by;
  const isRead = JSON.stringify(readers) !== JSON.stringify(record.read_by);
  // "Not spam" teaches also where it never was spam.
  const isMarked = patch.spam !== undefined && patch.spam !== record.marked?.spam;
  if (members.length === 0 && !isRead && !isMarked) return null;
  const acts = members.flatMap((member) => actsOf(member, before, after));
  const { read, spam, aside, assignee, labels, snoozed_until } = after;
  const work = { ...(record.work ?? noWork), assignee, labels, snoozed_until };
  const { read_by: _, ...rest } = record;
  const next: SubmissionRecord = {
    ...rest,
    read,
    spam,
    // Who has read it is no change that a program waits for.
    ...(members.length > 0 && { updated_at: iso(now) }),
    ...(acts.length > 0 && { aside, work }),
    ...(isMarked && { marked: { spam, at: iso(now) } }),
    // Unread again is so for each person.
    ...(read && readers && { read_by: readers }),
  };
  return { next, members, acts, isSeen: members.length > 0 || isRead };
}

function labelsOf(before: string[], { labels, add_label, remove_label }: WorkPatch): string[] {
  if (labels) return [...labels];
  if (add_label !== undefined && !before.includes(add_label)) {
    if (before.length >= MAX_LABELS)
      throw wrongParameter("label", `is one too many: a submission already has ${MAX_LABELS}`);
    return [...before, add_label];
  }
  return remove_label === undefined ? before : before.filter((label) => label !== remove_label);
}

type State = ReturnType<typeof workOf> & { readonly spam: boolean };

function actsOf(member: ChangedMember, before: State, after: State): Act[] {
  switch (member) {
    case "spam":
      return [{ what: after.spam ? "mark_spam" : "mark_not_spam", text: "" }];
    case "state":
      return [{ what: after.state === "done" ? "done" : "reopen", text: "" }];
    case "assignee":
      return [{ what: "assign", text: after.assignee?.name ?? "" }];
    case "labels":
      return [
        ...after.labels.filter((label) => !before.labels.includes(label)).map((text) => ({ what: "label", text })),
        ...before.labels.filter((label) => !after.labels.includes(label)).map((text) => ({ what: "unlabel", text })),
      ];
    case "snoozed_until":
      // Whoever sets it to done or reopens it ends the snooze by that.
      if (after.snoozed_until === null && before.state !== after.state) return [];
      return [{ what: after.snoozed_until === null ? "unsnooze" : "snooze", text: after.snoozed_until ?? "" }];
    default:
      return [];
  }
}

/** The patch that marks a submission as unread and open: something new came for it, such as a reply of its sender. */
export const reopening: WorkPatch = { read: false, state: "open" };
