import type { Form } from "../forms/schema.ts";
import type { Submission } from "../submissions/schema.ts";

/** What a spam check is shown of a submission that is about to be stored. */
export type CheckedSubmission = Readonly<Omit<Submission, "id" | "spam" | "read" | "attachments">>;

/** What a spam check is shown of the form: nothing that is secret. */
export type CheckedForm = Readonly<Pick<Form, "id" | "team_id" | "name" | "folder_id" | "endpoint" | "created_at">>;

/** What a check says. `check` defaults to the function's name; `score` is 0 (surely not) to 1 (surely spam). */
export interface SpamVerdict {
  readonly spam: boolean;
  readonly check?: string;
  readonly score?: number;
  readonly reason?: string;
}

/**
 * Judges a submission; null or nothing = no opinion. One that throws is logged and counts as no opinion.
 * It is asked only about submissions that nothing before it took for spam, so that a paid service is not asked in vain.
 */
export type SpamCheck = (
  submission: CheckedSubmission,
  form: CheckedForm,
) => SpamVerdict | null | undefined | Promise<SpamVerdict | null | undefined>;
