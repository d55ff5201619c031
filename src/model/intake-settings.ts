import { z } from "zod";
import { mergeLeaves } from "../lib/merge.ts";
import { text } from "./form-leaves.ts";

/** The most places that a form may offer: more could not be counted again while a visitor waits. */
const MAX_PLACES = 100_000;
const MAX_FIELDS = 3;

const Moment = z.iso.datetime({ offset: true, error: "must be an ISO 8601 timestamp such as 2026-12-24T18:00:00Z" });

/** The time in which a form takes posts, and how many. */
export const Availability = z
  .object({
    opens_at: Moment.nullable().describe("The first moment at which posts are taken, as ISO 8601; null for no start."),
    closes_at: Moment.nullable().describe("The moment from which posts are refused, as ISO 8601; null for no end."),
    limit: z
      .number()
      .int()
      .min(1)
      .max(MAX_PLACES)
      .nullable()
      .describe(
        "The most submissions, up to 100,000. Counts those that are stored and not spam, and those that wait for a confirmation; null for no limit.",
      ),
    message: text(1_000).describe("The sentence that visitors read instead; empty for one in their language."),
    public: z
      .boolean()
      .describe("True if anybody may ask the form's address `availability` for its times and the places left."),
  })
  .describe("When the form takes posts, and how many. Outside, a post is refused with `form_closed` or `form_full`.");
export type Availability = z.infer<typeof Availability>;

/** The whole value, with times as the store writes them, so that text order is time order. */
export function mergedAvailability(before: Availability, sent: object): Availability {
  const { opens_at, closes_at, ...rest } = mergeLeaves(before, sent);
  return { ...rest, opens_at: utc(opens_at), closes_at: utc(closes_at) };
}

const utc = (time: string | null): string | null => time && new Date(time).toISOString();

export const defaultAvailability: Availability = {
  opens_at: null,
  closes_at: null,
  limit: null,
  message: "",
  public: false,
};

/** Fields whose values a form takes once. */
export const Unique = z
  .object({
    fields: z
      .array(z.string().min(1).max(200))
      .max(MAX_FIELDS)
      .refine((names) => new Set(names).size === names.length, "must have no name twice")
      .describe("Up to 3 names. All of the fields together must differ; an empty list checks nothing."),
    message: text(300).describe("The sentence at the first of the fields; empty for one in the visitor's language."),
  })
  .describe(
    "A second submission with the same values is refused. Case, surrounding spaces and the Unicode form of the values don't matter.",
  );
export type Unique = z.infer<typeof Unique>;

export const defaultUnique: Unique = { fields: [], message: "" };
