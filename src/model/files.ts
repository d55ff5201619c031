import { block, moment, number, optional, text } from "../lib/leaves.ts";
import { type SealedFile, sealedFileLeaf } from "./protected.ts";

/** A visitor's file as it is stored; its bytes lie in the blob port under the row's id. */
export interface FileRecord {
  submission_id: string;
  form_id: string;
  team_id: string;
  /** The name of the form's field. */
  key: string;
  name: string;
  mime_type: string;
  /** Bytes. */
  size: number;
  sealed?: SealedFile;
  created_at: string;
}

/** Reads a file from the store. Without a type it is bytes, and no browser shows it. */
export const fileLeaf = block<FileRecord>({
  submission_id: text(""),
  form_id: text(""),
  team_id: text(""),
  key: text(""),
  name: text("file"),
  mime_type: text("application/octet-stream"),
  size: number(0),
  sealed: optional(sealedFileLeaf),
  created_at: moment(),
});
