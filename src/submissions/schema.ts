import { z } from "zod";
import { Cursor, Limit, listOf, Moment, Timestamp } from "../lib/wire.ts";

export const SubmissionField = z.object({ key: z.string(), value: z.string() });
export type SubmissionField = z.infer<typeof SubmissionField>;

/** A submission as every API answers it. */
export const Submission = z
  .object({
    id: z.string(),
    form_id: z.string(),
    created_at: Timestamp,
    spam: z.boolean(),
    read: z.boolean(),
    ip: z.string().nullable().describe("The visitor's address; null when unknown."),
    country: z.string().nullable().describe("Two-letter code from the address; null when unknown."),
    user_agent: z.string().nullable().describe("The browser as it announced itself."),
    referer: z.string().nullable().describe("The page the form was on, as the browser says."),
    fields: z.array(SubmissionField).describe("In the order they were sent; a name may be repeated."),
    attachments: z
      .array(z.object({ key: z.string(), url: z.string(), mime_type: z.string() }))
      .describe("Uploaded files; their links are signed and end."),
  })
  .meta({ id: "Submission" });
export type Submission = z.infer<typeof Submission>;

/** In a path of any length: one that is too long to be ours is not found, like every other that names nothing. */
export const SubmissionId = z.string().min(1);
export const SubmissionList = listOf(Submission, "SubmissionList");
export type SubmissionList = z.infer<typeof SubmissionList>;

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

/** `field[NAME][OP]=value`, collected under the part of the name behind `field`; `query.ts` takes it apart. */
const FieldFilters = z.record(z.string(), z.union([z.string(), z.array(z.string())])).meta({
  override: { type: "object", additionalProperties: { type: "object", additionalProperties: { type: "string" } } },
  description:
    "`field[NAME][OP]=value`, OP one of `eq`, `contains`, `starts_with`, `exists`, `in`; at most 5, all must hold.",
});

const filters = {
  status: z.enum(["inbox", "spam", "all"]).default("inbox"),
  read: Flag.optional(),
  country: Countries.optional().describe("Two-letter codes or `unknown`, comma separated."),
  created_after: Moment.optional().describe("This moment and later."),
  created_before: Moment.optional().describe("Earlier than this moment, so that ranges that touch share nothing."),
  q: z.string().min(1).max(1_000).optional().describe("Literal text in any value, whatever its case."),
  field: FieldFilters.optional(),
};
const order = z.enum(["asc", "desc"]).default("desc").describe("`desc`: newest first.");
const paging = { limit: Limit, cursor: Cursor };

/** Which submissions are meant. */
export type SubmissionFilters = z.output<z.ZodObject<typeof filters>>;

export const SubmissionListQuery = z.strictObject({ ...filters, order, ...paging });
export type SubmissionListQuery = z.output<typeof SubmissionListQuery>;

export const AllSubmissionsQuery = z.strictObject({
  ...filters,
  order,
  ...paging,
  form_id: z.array(z.string().min(1).max(64)).min(1).max(100).optional().describe("Only these forms; repeated."),
});
export type AllSubmissionsQuery = z.output<typeof AllSubmissionsQuery>;

const GROUPS = "day, week, month, country, spam, read or field:NAME";
export const SubmissionCountQuery = z.strictObject({
  ...filters,
  group_by: z
    .string()
    .regex(/^(day|week|month|country|spam|read|field:[\s\S]{1,200})$/u, `must be one of ${GROUPS}`)
    .optional()
    .describe(`One of ${GROUPS}.`),
});
export type SubmissionCountQuery = z.output<typeof SubmissionCountQuery>;

export const SubmissionExportQuery = z.strictObject({
  ...filters,
  order,
  format: z.enum(["csv", "json", "ndjson"]).default("csv"),
});
export type SubmissionExportQuery = z.output<typeof SubmissionExportQuery>;

export const SubmissionCount = z
  .object({
    count: z.int().min(0),
    exact: z.boolean().describe("False where counting took more than 5 s and stopped."),
    groups: z
      .array(z.object({ key: z.string(), count: z.int().min(1) }))
      .max(20)
      .optional()
      .describe("The largest ones, with `group_by`."),
    other: z.int().min(0).optional().describe("What is in none of the groups."),
  })
  .meta({ id: "SubmissionCount" });
export type SubmissionCount = z.infer<typeof SubmissionCount>;

export const SubmissionPatch = z
  .strictObject({ read: z.boolean(), spam: z.boolean() })
  .partial()
  .meta({ id: "SubmissionPatch" });
export type SubmissionPatch = z.infer<typeof SubmissionPatch>;

export const SubmissionPatchQuery = z.strictObject({
  deliver: Flag.optional().describe(
    "With `spam: false` in the body: runs the email and webhooks that spam had skipped.",
  ),
});

export const SubmissionDeleted = z
  .object({ id: z.string(), deleted: z.literal(true) })
  .meta({ id: "SubmissionDeleted" });
export type SubmissionDeleted = z.infer<typeof SubmissionDeleted>;

export const SubmissionBulk = z
  .strictObject({
    action: z.enum(["mark_read", "mark_unread", "mark_spam", "mark_not_spam", "delete"]),
    ids: z.array(SubmissionId.max(64)).min(1).max(500),
  })
  .meta({ id: "SubmissionBulk" });
export type SubmissionBulk = z.infer<typeof SubmissionBulk>;

export const SubmissionBulkResult = z
  .object({
    changed: z.int().min(0).describe("Without those that were so already."),
    not_found: z.array(z.string()).describe("Ids that the form does not have."),
  })
  .meta({ id: "SubmissionBulkResult" });
export type SubmissionBulkResult = z.infer<typeof SubmissionBulkResult>;

/** How many of the submissions that were read carry a field, and when the newest of them came. */
export const FieldStatistic = z
  .object({ name: z.string(), count: z.int().min(1).describe("Submissions that carry it."), last_seen: Timestamp })
  .meta({ id: "FieldStatistic" });

export const FieldList = z
  .object({ data: z.array(FieldStatistic).max(200), submissions_read: z.int().min(0).max(2_000) })
  .meta({ id: "FieldList" });
export type FieldList = z.infer<typeof FieldList>;

/** What one check of the spam pipeline said. */
export interface Verdict {
  check: string;
  spam: boolean;
  score?: number;
  reason?: string;
}

/** A submission as the host sees it in process: with what each check said, in order. */
export type HostSubmission = Submission & { verdict: Verdict[] };

export interface StoredFile {
  key: string;
  file_id: string;
  name: string;
  mime_type: string;
  size: number;
}

/** A submission as it is stored. */
export interface SubmissionRecord {
  form_id: string;
  team_id: string;
  created_at: string;
  updated_at: string;
  spam: boolean;
  read: boolean;
  ip: string | null;
  country: string | null;
  user_agent: string | null;
  referer: string | null;
  fields: SubmissionField[];
  attachments: StoredFile[];
  attached: boolean;
  verdict: Verdict[];
  over_quota: boolean;
  /** Special fields that its emails need, never shown as fields. */
  subject: string | null;
  reply_to: string | null;
}
