import { z } from "zod";
import { block, moment, text } from "../lib/leaves.ts";
import { Timestamp } from "../lib/wire.ts";
import { Person, PersonInput, personLeaf } from "./work.ts";

export const Note = z
  .object({
    /** The note's id. */
    id: z.string(),
    /** Who wrote it: a person, or an API key by its id and name. */
    author: Person,
    /** What they wrote. */
    text: z.string(),
    /** The time of writing. */
    created_at: Timestamp,
  })
  .meta({ id: "Note" });
export type Note = z.infer<typeof Note>;

export const NoteList = z
  .object({
    /** The notes of the submission, oldest first. */
    data: z.array(Note),
  })
  .meta({ id: "NoteList" });
export type NoteList = z.infer<typeof NoteList>;

export const NoteCreate = z
  .strictObject({
    text: z
      .string()
      .max(10_000)
      .refine((value) => value.trim() !== "", "must not be empty")
      .describe("The note, at most 10,000 characters."),
  })
  .meta({ id: "NoteCreate" });
export type NoteCreate = z.infer<typeof NoteCreate>;

/** A note that the host writes for a person. */
export const HostNoteCreate = NoteCreate.extend({
  /** Who writes it. Default: the host itself. */
  author: PersonInput.optional(),
});
export type HostNoteCreate = z.infer<typeof HostNoteCreate>;

export const NoteDeleted = z
  .object({
    /** The id of the deleted note. */
    id: z.string(),
    /** Always true. */
    deleted: z.literal(true),
  })
  .meta({ id: "NoteDeleted" });
export type NoteDeleted = z.infer<typeof NoteDeleted>;

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
