import { z } from "zod";
import { block, list, moment, optional } from "../lib/leaves.ts";
import { Timestamp } from "../lib/wire.ts";
import { type ProtectedValues, protectedLeaf } from "./protected.ts";
import { SubmissionField, submissionFieldLeaf } from "./submission-field.ts";

/** Versions of a submission that are kept besides the current one, and their characters in all. */
const MAX_REVISIONS = 20;
const MAX_CHARACTERS = 1024 * 1024;

/** A version of a submission before its sender changed it. */
export const Revision = z.object({
  /** When it was replaced. */
  replaced_at: Timestamp,
  /** The fields as they were. */
  fields: z.array(SubmissionField),
});
export type Revision = z.infer<typeof Revision>;

/** The same as it is stored. */
export interface StoredRevision {
  replaced_at: string;
  fields: SubmissionField[];
  protected?: ProtectedValues;
}

/** Reads one from the store. */
export const revisionLeaf = block<StoredRevision>({
  replaced_at: moment(),
  fields: list(submissionFieldLeaf),
  protected: optional(protectedLeaf),
});

/** The versions to keep after one more: the newest ones, oldest first. */
export function withRevision(before: readonly StoredRevision[], next: StoredRevision): StoredRevision[] {
  const all = [...before, next].slice(-MAX_REVISIONS);
  const kept: StoredRevision[] = [];
  let characters = 0;
  for (const one of all.toReversed()) {
    characters += JSON.stringify(one).length;
    if (characters > MAX_CHARACTERS && kept.length > 0) break;
    kept.unshift(one);
  }
  return kept;
}
