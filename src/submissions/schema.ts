import { z } from "zod";
import { Limit, listOf, Moment, Timestamp } from "../lib/wire.ts";

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
    ip: z.string().nullable(),
    country: z.string().nullable(),
    user_agent: z.string().nullable(),
    referer: z.string().nullable(),
    fields: z.array(SubmissionField),
    attachments: z.array(z.object({ key: z.string(), url: z.string(), mime_type: z.string() })),
  })
  .meta({ id: "Submission" });
export type Submission = z.infer<typeof Submission>;

export const SubmissionId = z.string().min(1).max(64);
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
});

const filters = {
  status: z.enum(["inbox", "spam", "all"]).default("inbox"),
  read: Flag.optional(),
  country: Countries.optional(),
  /** This moment and later. */
  created_after: Moment.optional(),
  /** Earlier than this moment, so that two ranges that touch share no submission. */
  created_before: Moment.optional(),
  q: z.string().min(1).max(1_000).optional(),
  field: FieldFilters.optional(),
};
const order = z.enum(["asc", "desc"]).default("desc");
const paging = { limit: Limit, cursor: z.string().max(1_000).optional() };

/** Which submissions are meant. */
export type SubmissionFilters = z.output<z.ZodObject<typeof filters>>;

export const SubmissionListQuery = z.strictObject({ ...filters, order, ...paging });
export type SubmissionListQuery = z.output<typeof SubmissionListQuery>;

export const AllSubmissionsQuery = z.strictObject({
  ...filters,
  order,
  ...paging,
  form_id: z.array(z.string().min(1).max(64)).min(1).max(100).optional(),
});
export type AllSubmissionsQuery = z.output<typeof AllSubmissionsQuery>;

const GROUPS = "day, week, month, country, spam, read or field:NAME";
export const SubmissionCountQuery = z.strictObject({
  ...filters,
  group_by: z
    .string()
    .regex(/^(day|week|month|country|spam|read|field:[\s\S]{1,200})$/u, `must be one of ${GROUPS}`)
    .optional(),
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
    exact: z.boolean(),
    groups: z
      .array(z.object({ key: z.string(), count: z.int().min(1) }))
      .max(20)
      .optional(),
    other: z.int().min(0).optional(),
  })
  .meta({ id: "SubmissionCount" });
export type SubmissionCount = z.infer<typeof SubmissionCount>;

export const SubmissionPatch = z
  .strictObject({ read: z.boolean(), spam: z.boolean() })
  .partial()
  .meta({ id: "SubmissionPatch" });
export type SubmissionPatch = z.infer<typeof SubmissionPatch>;

/** `deliver=true` has an effect only together with `spam: false` in the body. */
export const SubmissionPatchQuery = z.strictObject({ deliver: Flag.optional() });

export const SubmissionDeleted = z
  .object({ id: z.string(), deleted: z.literal(true) })
  .meta({ id: "SubmissionDeleted" });
export type SubmissionDeleted = z.infer<typeof SubmissionDeleted>;

export const SubmissionBulk = z
  .strictObject({
    action: z.enum(["mark_read", "mark_unread", "mark_spam", "mark_not_spam", "delete"]),
    ids: z.array(SubmissionId).min(1).max(500),
  })
  .meta({ id: "SubmissionBulk" });
export type SubmissionBulk = z.infer<typeof SubmissionBulk>;

/** `changed` leaves out submissions that were already so. */
export const SubmissionBulkResult = z
  .object({ changed: z.int().min(0), not_found: z.array(z.string()) })
  .meta({ id: "SubmissionBulkResult" });
export type SubmissionBulkResult = z.infer<typeof SubmissionBulkResult>;

/** How many of the submissions that were read carry a field, and when the newest of them came. */
export const FieldStatistic = z
  .object({ name: z.string(), count: z.int().min(1), last_seen: Timestamp })
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
