import { z } from "zod";
import { Cursor, Limit, Moment } from "../lib/wire.ts";
import { Label } from "./work.ts";

const Flag = z
  .enum(["true", "false"])
  .transform((text) => text === "true")
  .meta({ override: { type: "boolean" } });

const COUNTRY = "([A-Za-z]{2}|unknown)";
const Countries = z
  .string()
  .max(1_000)
  .regex(new RegExp(`^${COUNTRY}(,${COUNTRY})*$`), "must be two-letter codes or `unknown`, comma separated")
  .transform((text) => text.split(",").map((code) => (code === "unknown" ? null : code.toUpperCase())));

/** `field[NAME][OP]=value`, collected under the part of the name after `field`; `query.ts` parses it. */
const FieldFilters = z.record(z.string(), z.union([z.string(), z.array(z.string())])).meta({
  override: { type: "object", additionalProperties: { type: "object", additionalProperties: { type: "string" } } },
  description:
    "`field[NAME][OP]=value`, OP one of `eq`, `contains`, `starts_with`, `exists`, `in`; at most 5, all must match.",
});

/** `source[NAME][OP]=value`, collected in the same way. */
const SourceFilters = z.record(z.string(), z.union([z.string(), z.array(z.string())])).meta({
  override: { type: "object", additionalProperties: { type: "object", additionalProperties: { type: "string" } } },
  description: "`source[NAME][OP]=value`, such as `source[utm_campaign][eq]=spring`; as `field`, and counted with it.",
});

/** The filters of every list. */
export const filters = {
  status: z
    .enum(["inbox", "spam", "all", "pending", "trash"])
    .default("inbox")
    .describe(
      "`pending`: the sender has not confirmed the address yet; `trash`: deleted ones. No other status includes these.",
    ),
  state: z
    .enum(["open", "done", "snoozed"])
    .optional()
    .describe("Only these: a snoozed one is not among the open ones until its time."),
  assignee: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("The id of the person who works on it; `none`: nobody does; `me`: the caller does."),
  label: Label.optional().describe("Only those with this label."),
  /** Only read, or only unread ones. */
  read: Flag.optional(),
  country: Countries.optional().describe("Two-letter codes or `unknown`, separated by commas."),
  created_after: Moment.optional().describe("At this moment or later."),
  created_before: Moment.optional().describe("Before this moment, so adjacent ranges don't overlap."),
  q: z.string().min(1).max(1_000).optional().describe("Literal text in any value, ignoring case."),
  words: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Words that all occur in values, in any order, ignoring case; `"a phrase"` in quotes. At most 20.'),
  /** Conditions by the field's name. */
  field: FieldFilters.optional(),
  /** Conditions by the name of a member of the source. */
  source: SourceFilters.optional(),
};
const order = z.enum(["asc", "desc"]).default("desc").describe("`desc`: newest first.");
const paging = { limit: Limit, cursor: Cursor };

const include = z.enum(["work"]).optional().describe("`work` adds the member `work` to each submission.");

/** What a submission is returned with. */
export const SubmissionQuery = z.strictObject({ include });

export const SubmissionDeleteQuery = z.strictObject({
  trash: Flag.optional().describe("Moves it to the trash, from where it can be restored; left out: it is removed."),
});

/** Filters of submissions. */
export type SubmissionFilters = z.output<z.ZodObject<typeof filters>>;

export const SubmissionListQuery = z.strictObject({ ...filters, include, order, ...paging });
export type SubmissionListQuery = z.output<typeof SubmissionListQuery>;

export const AllSubmissionsQuery = z.strictObject({
  ...filters,
  include,
  order,
  ...paging,
  form_id: z
    .array(z.string().min(1).max(64))
    .min(1)
    .max(100)
    .optional()
    .describe("Only these forms; repeat it for each."),
  team_id: z.string().max(64).optional().describe("Only this team, which the credential must cover."),
});
export type AllSubmissionsQuery = z.output<typeof AllSubmissionsQuery>;

const GROUPS = "day, week, month, country, spam, read, field:NAME or source:NAME";
export const SubmissionCountQuery = z.strictObject({
  ...filters,
  group_by: z
    .string()
    .regex(/^(day|week|month|country|spam|read|(?:field|source):[\s\S]{1,200})$/u, `must be one of ${GROUPS}`)
    .optional()
    .describe(`One of ${GROUPS}.`),
});
export type SubmissionCountQuery = z.output<typeof SubmissionCountQuery>;

export const SubmissionExportQuery = z.strictObject({
  ...filters,
  include: z.enum(["work"]).optional().describe("`work` adds what people at work have set."),
  notes: Flag.optional().describe("Adds the notes."),
  order,
  /** The format of the export. */
  format: z.enum(["csv", "json", "ndjson"]).default("csv"),
});
export type SubmissionExportQuery = z.output<typeof SubmissionExportQuery>;

export const SubmissionPatchQuery = z.strictObject({
  deliver: Flag.optional().describe(
    "With `spam: false` in the body: sends the emails and webhooks that spam had skipped.",
  ),
  include,
});

/** Conditions for one value; all must hold. */
export interface ValueFilter {
  /** The value is this text. */
  eq?: string;
  /** The value contains this text, ignoring case. */
  contains?: string;
  /** The value begins with this text, ignoring case. */
  starts_with?: string;
  /** Whether there is a value at all. */
  exists?: boolean;
  /** The value is one of these texts. */
  in?: readonly string[];
}

/** Filters in process: as over HTTP, with typed values and `field: { NAME: { OP: value } }`. */
export interface SubmissionFiltersInput {
  /** The list: `inbox` by default. `pending`: those that wait for their sender's confirmation, and no others. */
  status?: "inbox" | "spam" | "all" | "pending" | "trash";
  /** Only open ones, done ones, or those that are snoozed. */
  state?: "open" | "done" | "snoozed";
  /** The id of the person who works on it; `none`: nobody does. */
  assignee?: string;
  /** Only those with this label. */
  label?: string;
  /** Only read, or only unread ones. */
  read?: boolean;
  /** Two-letter codes, or `unknown`. */
  country?: string | string[];
  /** This moment and later. */
  created_after?: string;
  /** Earlier than this moment. */
  created_before?: string;
  /** Literal text in any value, ignoring case. */
  q?: string;
  /** Words that all occur in values, in any order, ignoring case; `"a phrase"` in quotes. At most 20. */
  words?: string;
  /** Conditions by the field's name. */
  field?: Record<string, ValueFilter>;
  /** Conditions by the name of a member of the source, such as `utm_campaign`. */
  source?: Record<string, ValueFilter>;
}
