import { block, moment, text } from "../lib/leaves.ts";
import { type Person, personLeaf } from "./work.ts";

/** A note on a submission, or what somebody did with it. */
export interface ActivityRecord {
  submission_id: string;
  created_at: string;
  /** Who wrote or did it. */
  author: Person;
  /** `note`, or the name of what was done, such as `done` or `assign`. */
  what: string;
  /** The text of a note; otherwise what the act was about: a label, a name, a time. */
  text: string;
}

/** Reads one from the store. */
export const activityLeaf = block<ActivityRecord>({
  submission_id: text(),
  created_at: moment(),
  author: personLeaf,
  what: text("note"),
  text: text(""),
});

/** A row that leads from a run to a submission. */
export interface RunRecord {
  run: string;
  /** The submission's time, or that of its return. */
  at: string;
  submission_id: string;
}

/** Reads one from the store. */
export const runLeaf = block<RunRecord>({ run: text(""), at: moment(), submission_id: text() });
