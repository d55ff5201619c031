import { z } from "zod";
import { Email } from "../lib/email.ts";
import { Timestamp } from "../lib/wire.ts";
import { Consent } from "../model/consent.ts";
import { Submission } from "../model/submissions.ts";

/** The person whose data is meant. */
export const DataSubject = z
  .strictObject({
    /** The person's address. */
    email: Email,
  })
  .meta({ id: "DataSubject" });
export type DataSubject = z.infer<typeof DataSubject>;

/** A submission with its sender's confirmation, if the form asked for one. */
const Held = Submission.extend({
  /** The sender's confirmation, if the form asked for one. */
  consent: Consent.exactOptional(),
});

export const DataSubjectExport = z
  .object({
    /** The submissions with this address. */
    data: z.array(Held),
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
    /** The time of the erasure. */
    at: Timestamp,
  })
  .meta({ id: "ErasureReceipt" });
export type ErasureReceipt = z.infer<typeof ErasureReceipt>;
