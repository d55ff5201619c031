import { createHash } from "node:crypto";
import type { Member } from "./roles.ts";

/** The name under which a browser keeps what a person has typed under a submission; it tells of neither. */
export const draftKey = ({ caller }: Member, submission_id: string): string =>
  createHash("sha256")
    .update(JSON.stringify(["draft", caller.id, submission_id]))
    .digest("hex")
    .slice(0, 24);
