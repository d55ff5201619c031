import { z } from "zod";
import { block, number, optional, text } from "../lib/leaves.ts";
import { type SealedFile, sealedFileLeaf } from "./protected.ts";

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

/** A file as its submission stores it. */
export interface StoredFile {
  key: string;
  file_id: string;
  name: string;
  mime_type: string;
  size: number;
  /** If the bytes are encrypted: the data key, and the sealed file name. */
  sealed?: SealedFile;
}

/** Reads one from the store. */
export const storedFileLeaf = block<StoredFile>({
  key: text(""),
  file_id: text(),
  name: text("file"),
  mime_type: text("application/octet-stream"),
  size: number(0),
  sealed: optional(sealedFileLeaf),
});
