import { z } from "zod";
import { Email } from "../lib/email.ts";
import { Timestamp } from "../lib/wire.ts";
import { Submission } from "../submissions/schema.ts";

/** Whose data is meant. */
export const DataSubject = z.strictObject({ email: Email }).meta({ id: "DataSubject" });
export type DataSubject = z.infer<typeof DataSubject>;

export const DataSubjectExport = z.object({ data: z.array(Submission) }).meta({ id: "DataSubjectExport" });
export type DataSubjectExport = z.infer<typeof DataSubjectExport>;

/** What an erasure removed, and when. */
export const ErasureReceipt = z
  .object({
    erased: z.object({ submissions: z.int(), files: z.int(), deliveries: z.int() }),
    at: Timestamp,
  })
  .meta({ id: "ErasureReceipt" });
export type ErasureReceipt = z.infer<typeof ErasureReceipt>;
