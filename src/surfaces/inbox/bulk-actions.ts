import { ApiError } from "../../errors.ts";
import type { SubmissionBulk } from "../../model/submissions.ts";

/** Actions for submissions; `deliver` is "Not spam, and send what was missed", `delete` moves to the trash. */
export const acts = [
  "mark_read",
  "mark_unread",
  "mark_spam",
  "mark_not_spam",
  "deliver",
  "done",
  "reopen",
  "delete",
  "restore",
  "delete_forever",
] as const;
export type Act = (typeof acts)[number];

/** An act as the API takes it. */
export const bodyOf = (act: Act): { action: SubmissionBulk["action"]; deliver?: boolean } =>
  act === "deliver" ? { action: "mark_not_spam", deliver: true } : { action: act === "delete" ? "trash" : act };

/** The act that takes one back; null where nothing does. */
export const undoOf = (act: Act): Act | null => {
  const undone: Partial<Record<Act, Act>> = {
    mark_read: "mark_unread",
    mark_unread: "mark_read",
    mark_spam: "mark_not_spam",
    mark_not_spam: "mark_spam",
    done: "reopen",
    reopen: "done",
    delete: "restore",
  };
  return undone[act] ?? null;
};

/** The act that a button names. Throws `invalid_parameter`. */
export function actOf(name: string | null): Act {
  const act = acts.find((known) => known === name);
  if (act) return act;
  throw new ApiError("invalid_parameter", {
    param: "action",
    message: `\`action\` must be one of ${acts.join(", ")}.`,
  });
}
