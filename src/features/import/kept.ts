import { z } from "zod";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { parseInput } from "../../lib/input.ts";
import type { ImportedContent, ImportRow } from "../../model/import.ts";
import { Labels, PersonInput } from "../../model/work.ts";
import { RowFault } from "./fault.ts";

/** Notes and acts of one submission, and its messages. */
const MOST = 2_000;
const MOST_FILES = 100;

const Time = z.iso.datetime({ offset: true }).transform((value) => iso(Date.parse(value)));
const Person = z.strictObject({ id: z.string().max(200), name: z.string().max(200) });
const Line = z.string().max(998);
const Lines = z.array(Line).max(100).default([]);
const isContent = (given: unknown): boolean => given instanceof Uint8Array || typeof given === "function";
const Attachment = z.strictObject({
  name: z.string().max(1_000),
  mime_type: z.string().max(200).default(""),
  content: z.custom<ImportedContent>(isContent, "must be bytes, or a function that returns them"),
});

const Shape = z.strictObject({
  read_by: z.array(z.string().min(1).max(200)).max(MOST).default([]),
  work: z
    .strictObject({
      state: z.enum(["open", "done"]).default("open"),
      assignee: PersonInput.nullable().default(null),
      labels: Labels.default([]),
      snoozed_until: Time.nullable().default(null),
    })
    .optional(),
  notes: z
    .array(
      z.strictObject({
        author: Person,
        text: z.string().max(10_000),
        created_at: Time,
        what: z.string().min(1).max(50).default("note"),
      }),
    )
    .max(MOST)
    .default([]),
  messages: z
    .array(
      z.strictObject({
        direction: z.enum(["out", "in"]),
        author: Person.nullable().default(null),
        from: Line,
        to: Lines,
        cc: Lines,
        subject: Line,
        text: z.string().max(1_000_000),
        whole: z.string().max(1_000_000).optional(),
        attachments: z.array(Attachment).max(MOST_FILES).default([]),
        status: z.enum(["queued", "sent", "failed", "skipped", "received"]),
        code: z.string().max(200),
        message_id: Line.nullable().default(null),
        references: Lines,
        automatic: z.boolean().default(false),
        created_at: Time,
      }),
    )
    .max(MOST)
    .default([]),
  files: z
    .array(Attachment.extend({ key: z.string().max(1_000) }))
    .max(MOST_FILES)
    .default([]),
  consent: z
    .strictObject({
      sentence: z.string().max(10_000),
      posted_at: Time,
      ip: z.string().max(100).nullable(),
      confirmed_at: Time.nullable(),
      confirmed_ip: z.string().max(100).nullable(),
    })
    .optional(),
  trash: z.strictObject({ trashed_at: Time, expires_at: Time }).optional(),
});

/** Work, notes, messages and files of an exported submission: all that it has beside its values. */
export type Kept = z.output<typeof Shape>;

export const keptNames = Object.keys(Shape.shape) as (keyof Kept)[];

/** Reads it; null where the row has nothing of it. Throws `RowFault`. */
export function keptOf(row: ImportRow): Kept | null {
  const given = Object.fromEntries(keptNames.map((name) => [name, row[name] ?? undefined]));
  if (Object.values(given).every((value) => value === undefined)) return null;
  try {
    return parseInput(Shape, given);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new RowFault(error.message);
  }
}

/** About the bytes that it takes in the store. */
export const weightOf = (kept: Kept | null): number =>
  (kept?.notes ?? []).reduce((sum, { text }) => sum + text.length + 200, 0) +
  (kept?.messages ?? []).reduce((sum, { text, whole = "" }) => sum + text.length + whole.length + 500, 0);
