import { z } from "zod";
import { fixed, strict } from "../lib/input.ts";
import { listOf, Moment, Timestamp } from "../lib/wire.ts";
import { Consent } from "./consent.ts";
import { Revision } from "./revisions.ts";
import { RoutedTo } from "./routing.ts";
import { Source } from "./source.ts";
import { SubmissionField } from "./submission-field.ts";
import { SubmissionFile } from "./submission-file.ts";
import { TrashTimes } from "./trash-times.ts";
import type { Values } from "./values.ts";
import { Verdict } from "./verdict.ts";
import { Label, Labels, PersonInput, Work } from "./work.ts";

/** A submission, as every API returns it. */
export const Submission = z
  .object({
    /** The submission's id. */
    id: z.string(),
    /** The form it was sent to. */
    form_id: z.string(),
    /** The time of the post. */
    created_at: Timestamp,
    /** True for spam. */
    spam: z.boolean(),
    /** True once somebody has read it. */
    read: z.boolean(),
    ip: z.string().nullable().describe("The visitor's IP address; null if unknown."),
    country: z.string().nullable().describe("Two-letter code from the IP address; null if unknown."),
    user_agent: z.string().nullable().describe("The User-Agent header."),
    referer: z.string().nullable().describe("The form's page, from the Referer header."),
    fields: z.array(SubmissionField).describe("In the order they were sent; a name may be repeated."),
    attachments: z
      .array(
        z.object({
          /** The field's name. */
          key: z.string(),
          /** A signed link to the file. */
          url: z.string(),
          /** The type of the content, as found in its bytes. */
          mime_type: z.string(),
        }),
      )
      .describe("Uploaded files; their links are signed and expire."),
    source: Source.exactOptional().describe(
      "Where the visitor came from, such as `utm_campaign`; left out where the form keeps no source, or none was sent.",
    ),
    over_quota: z
      .literal(true)
      .exactOptional()
      .describe("True where the plan's month was full when it came, or was released from spam; left out otherwise."),
    work: Work.exactOptional().describe("With `include=work` only."),
  })
  .meta({ id: "Submission" });
export type Submission = z.infer<typeof Submission>;

/** In a path of any length: one that is too long to be ours is not found, like every other that names nothing. */
export const SubmissionId = z.string().min(1);
export const SubmissionList = listOf(Submission, "SubmissionList");
export type SubmissionList = z.infer<typeof SubmissionList>;

export const SubmissionCount = z
  .object({
    /** Submissions in all. */
    count: z.int().min(0),
    exact: z.boolean().describe("False if counting stopped after 5 s."),
    groups: z
      .array(
        z.object({
          /** The group: a day, a value or a state. */
          key: z.string(),
          /** Submissions in it. */
          count: z.int().min(1),
        }),
      )
      .max(20)
      .optional()
      .describe("The largest ones, with `group_by`."),
    other: z.int().min(0).optional().describe("Submissions in none of the groups."),
  })
  .meta({ id: "SubmissionCount" });
export type SubmissionCount = z.infer<typeof SubmissionCount>;

export const SubmissionPatch = strict(
  {
    /** True once somebody has read it. */
    read: z.boolean(),
    /** True moves it to spam, false to the inbox. */
    spam: z.boolean(),
    /** `done`, or `open` again. */
    state: z.enum(["open", "done"]),
    /** Who works on it; null for nobody. */
    assignee: PersonInput.nullable(),
    labels: Labels.describe("All its labels, at most 20."),
    snoozed_until: Moment.nullable().describe(
      "Until then it is out of the lists of open ones; it returns unread. Null ends it.",
    ),
  },
  fixed(...Object.keys(Submission.omit({ read: true, spam: true }).shape)),
)
  .partial()
  .meta({ id: "SubmissionPatch" });
export type SubmissionPatch = z.infer<typeof SubmissionPatch>;

export const SubmissionDeleted = z
  .object({
    /** The id of the deleted submission. */
    id: z.string(),
    /** Always true. */
    deleted: z.literal(true),
  })
  .meta({ id: "SubmissionDeleted" });
export type SubmissionDeleted = z.infer<typeof SubmissionDeleted>;

export const SubmissionBulk = z
  .strictObject({
    action: z
      .enum([
        "mark_read",
        "mark_unread",
        "mark_spam",
        "mark_not_spam",
        "not_spam",
        "done",
        "reopen",
        "assign",
        "label",
        "unlabel",
        "snooze",
        "trash",
        "restore",
        "delete",
        "delete_forever",
      ])
      .describe("`not_spam` means `mark_not_spam`. `restore` and `delete_forever` are for those in the trash."),
    /** The submissions to change, at most 500. */
    ids: z.array(SubmissionId.max(64)).min(1).max(500),
    deliver: z
      .boolean()
      .optional()
      .describe("With `mark_not_spam`: sends the emails and webhooks that spam had skipped."),
    assignee: PersonInput.nullable().optional().describe("With `assign`, which needs it; null for nobody."),
    label: Label.optional().describe("With `label` and `unlabel`, which need it."),
    snoozed_until: Moment.nullable().optional().describe("With `snooze`, which needs it; null ends it."),
  })
  .meta({ id: "SubmissionBulk" });
export type SubmissionBulk = z.infer<typeof SubmissionBulk>;

/** A submission, as the host sees it in process: with the result of each check in order, its values by name, and its files. */
export const HostSubmission = Submission.extend({
  /** The findings of each spam check. */
  verdict: z.array(Verdict),
  // No record of zod's, which would drop a field named `__proto__`.
  /** The values by name; a list where a name came more than once. */
  values: z.custom<Values>((values) => typeof values === "object"),
  /** The files, to read in process. */
  files: z.array(SubmissionFile),
  /** The sender's confirmation, if the form asks for one. */
  consent: Consent.exactOptional(),
  /** Where the form's routing sent it; left out while the form has none. */
  routed_to: RoutedTo.exactOptional(),
  /** Versions from before its sender changed it, oldest first; left out where there are none. At most 20 and 1 MB. */
  revisions: z.array(Revision).exactOptional(),
  /** What people at work have set. */
  work: Work,
  /** The ids of people of the inbox who have read it, of the last 90 days. */
  read_by: z.array(z.string()),
  /** In the trash only. */
  trash: TrashTimes.exactOptional(),
});
export type HostSubmission = z.infer<typeof HostSubmission>;

/** A page of submissions for the host. */
export const HostSubmissionList = SubmissionList.extend({
  /** The submissions of this page. */
  data: z.array(HostSubmission),
});
export type HostSubmissionList = z.infer<typeof HostSubmissionList>;
