import { z } from "zod";
import { block, text } from "../lib/leaves.ts";

/** One field of a submission. */
export const SubmissionField = z.object({
  /** The field's name. */
  key: z.string(),
  /** The value as it was sent. */
  value: z.string(),
});
export type SubmissionField = z.infer<typeof SubmissionField>;

/** Reads one from the store. */
export const submissionFieldLeaf = block<SubmissionField>({ key: text(""), value: text("") });
