import { z } from "zod";
import { block, type Leaf, list, nullable, number, oneOf, text, time } from "../lib/leaves.ts";
import { Timestamp } from "../lib/wire.ts";

/** Why a submission is out of the list of open ones; null or left out: it is open. */
export type Aside = "done" | "snoozed";
const asides = oneOf<Aside>(["done", "snoozed"]);
/** Leaves null and nothing as they are: most submissions have never been worked on. */
export const asideLeaf: Leaf<Aside | null | undefined> = {
  read: (stored) => (stored === null || stored === undefined ? stored : asides.read(stored)),
};

/** A person or a key that works on submissions. */
export const Person = z
  .object({
    /** Your id of the person, or the key's. */
    id: z.string(),
    /** The name to show. */
    name: z.string(),
  })
  .meta({ id: "Person" });
export type Person = z.infer<typeof Person>;

/** A person, as a request names one. */
export const PersonInput = z.strictObject({
  /** Your id of the person, as the inbox knows it. */
  id: z
    .string()
    .min(1)
    .max(200)
    .refine((id) => id.isWellFormed(), "must be well-formed text"),
  /** The name to show. */
  name: z.string().min(1).max(200),
});
export const personLeaf = block<Person>({ id: text(), name: text("") });

/** The length in characters as people count them: an emoji of two code units is one. */
const atMost = (most: number) => (value: string) => [...value].length <= most;
const MAX_LABEL = 40;
export const MAX_LABELS = 20;

/** A label. Spaces around it are dropped. */
export const Label = z
  .string()
  .transform((value) => value.trim().normalize("NFC"))
  .refine((value) => value !== "" && !/\p{Cc}/u.test(value) && value.isWellFormed(), {
    message: "must have a visible character and no control characters",
  })
  .refine(atMost(MAX_LABEL), { message: `must have at most ${MAX_LABEL} characters` })
  .meta({ override: { type: "string", minLength: 1, maxLength: MAX_LABEL } });

/** Labels, each once. */
export const Labels = z
  .array(Label)
  .max(MAX_LABELS)
  .transform((labels) => [...new Set(labels)]);

/** How far the work on a submission is. */
export const Work = z
  .object({
    state: z.enum(["open", "done"]).describe("`open` until somebody sets it to `done`."),
    assignee: Person.nullable().describe("Who works on it."),
    /** At most 20. */
    labels: z.array(z.string()),
    snoozed_until: Timestamp.nullable().describe("Until then it is out of the lists of open ones."),
    /** The number of notes. */
    notes: z.int().min(0),
  })
  .meta({ id: "Work" });
export type Work = z.infer<typeof Work>;

/** The part of a stored submission that people at work set; left out until somebody does. */
export interface WorkRecord {
  assignee: Person | null;
  labels: string[];
  snoozed_until: string | null;
  notes: number;
}

/** Reads it from the store. */
export const workLeaf = block<WorkRecord>({
  assignee: nullable(personLeaf),
  labels: list(text("")),
  snoozed_until: nullable(time()),
  notes: number(0),
});

export const noWork: WorkRecord = { assignee: null, labels: [], snoozed_until: null, notes: 0 };

/** The work on a stored submission. One of an earlier version is open. */
export function workOf({ aside, work = noWork }: { aside?: Aside | null; work?: Readonly<WorkRecord> }): Work {
  const { assignee, labels, snoozed_until, notes } = work;
  return { state: aside === "done" ? "done" : "open", assignee, labels: [...labels], snoozed_until, notes };
}
