import { z } from "zod";
import { Email, Timestamp } from "../lib/wire.ts";
import { Consent } from "./consent.ts";
import { Message } from "./messages.ts";
import { Submission } from "./submissions.ts";
import { TeamId } from "./teams.ts";

/** The person whose data is meant. */
export const DataSubject = z
  .strictObject({
    /** The person's address. */
    email: Email,
  })
  .meta({ id: "DataSubject" });
export type DataSubject = z.infer<typeof DataSubject>;

/** The same in process. */
export const HostDataSubject = DataSubject.extend({
  /** The team whose data is meant, or null for all. Required as soon as there is more than one. */
  team_id: TeamId.nullable().optional(),
});
export type HostDataSubject = z.infer<typeof HostDataSubject>;

/** A submission with its sender's confirmation, if the form asked for one. */
const Held = Submission.extend({
  /** The sender's confirmation, if the form asked for one. */
  consent: Consent.exactOptional(),
});

const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** A submission that may contain the address in another spelling. */
const SimilarSubmission = z.object({
  /** The form. */
  form_id: z.string(),
  /** The submission. */
  submission_id: z.string(),
});
export type SimilarSubmission = z.infer<typeof SimilarSubmission>;
const Similar = z.array(SimilarSubmission).exactOptional();

export const DataSubjectExport = z
  .object({
    /** The submissions with this address. */
    data: z.array(Held),
    drafts: z
      .array(
        z.object({
          /** The form that the draft is for. */
          form_id: z.string(),
          fields: z
            .record(z.string(), z.union([Scalar, z.array(Scalar)]))
            .describe("The values by the names of their fields."),
          /** The time when the draft is removed. */
          expires_at: Timestamp,
        }),
      )
      .exactOptional()
      .describe("Drafts with this address; left out if there are none."),
    messages: z
      .array(Message)
      .exactOptional()
      .describe("Answers and mails that name this address; left out if there are none."),
    similar: Similar.describe(
      "Submissions that are not included and may contain the address in another spelling, such as `ann@ example.com`: at most 100, left out if there are none.",
    ),
  })
  .meta({ id: "DataSubjectExport" });
export type DataSubjectExport = z.infer<typeof DataSubjectExport>;

/** The result of an erasure, and its time. */
export const ErasureReceipt = z
  .object({
    /** Numbers of removed records. */
    erased: z.object({
      /** Submissions. */
      submissions: z.int(),
      /** Files. */
      files: z.int(),
      /** Entries of delivery logs. */
      deliveries: z.int(),
    }),
    similar: Similar.describe(
      "Submissions that were not erased and may contain the address in another spelling, such as `ann@ example.com`: at most 100, left out if there are none. Read them, and delete those of the person.",
    ),
    /** The time of the erasure. */
    at: Timestamp,
  })
  .meta({ id: "ErasureReceipt" });
export type ErasureReceipt = z.infer<typeof ErasureReceipt>;
