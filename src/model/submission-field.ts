import { z } from "zod";

/** One field of a submission. */
export const SubmissionField = z.object({
  /** The field's name. */
  key: z.string(),
  /** The value as it was sent. */
  value: z.string(),
});
export type SubmissionField = z.infer<typeof SubmissionField>;
