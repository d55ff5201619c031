import type { Form } from "./forms.ts";
import type { Submission } from "./submissions.ts";

/** The parts of a submission that a spam check gets, before the submission is stored. */
export type CheckedSubmission = Readonly<Omit<Submission, "id" | "spam" | "read" | "attachments">>;

/** The parts of the form that a spam check gets, without secrets. */
export type CheckedForm = Readonly<Pick<Form, "id" | "team_id" | "name" | "folder_id" | "endpoint" | "created_at">>;

/** Result of a check. Default of `check`: the function's name; `score` is 0 (surely not) to 1 (surely spam). */
export interface SpamVerdict {
  /** True for spam. */
  readonly spam: boolean;
  /** The name of the check. */
  readonly check?: string;
  /** The share of the score. */
  readonly score?: number;
  /** The reason in words. */
  readonly reason?: string;
}

/**
 * Judges a submission; null or nothing = no opinion. If it throws, the error is logged and counts as no opinion. It runs only
 * for submissions that passed the earlier checks, so a paid service gets no needless calls.
 */
export type SpamCheck = (
  submission: CheckedSubmission,
  form: CheckedForm,
) => SpamVerdict | null | undefined | Promise<SpamVerdict | null | undefined>;

/** A judge's answer: `score` is 0 (surely not) to 1 (surely spam). */
export interface Judged {
  /** True for spam. */
  readonly spam: boolean;
  /** How sure it is. */
  readonly score?: number;
  /** The reason in words. */
  readonly reason?: string;
}

/** A model of the host's own, asked about a submission that no check has decided; null or nothing = no opinion. */
export type SpamJudge = (
  submission: CheckedSubmission,
  form: CheckedForm,
) => Judged | null | undefined | Promise<Judged | null | undefined>;
