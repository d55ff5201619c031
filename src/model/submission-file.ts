import { z } from "zod";

/** An uploaded file as the host sees it in process. */
export const SubmissionFile = z.object({
  /** The field's name. */
  key: z.string(),
  name: z.string().describe("The sender's file name, made safe; `file` with its extension if it is stored encrypted."),
  /** The type of the content, as found in its bytes. */
  mime_type: z.string(),
  size: z.int().min(0).describe("In bytes."),
  url: z.string().describe("Signed, as in `attachments`."),
});
export type SubmissionFile = z.infer<typeof SubmissionFile>;
