import type { HostForm } from "../../model/forms.ts";
import type { Team } from "../../model/teams.ts";

/** What a check found. */
export interface FormCheckResult {
  /** True locks the form. */
  lock?: boolean;
  /** What is wrong, for the host and, if the form is locked, for its team. */
  reason: string;
}

/** Looks at a form as it is to be stored; null if there is nothing to say. */
export type FormCheck = (
  form: HostForm,
  context: {
    /** The form's team. */
    readonly team: Team;
  },
) => FormCheckResult | null | Promise<FormCheckResult | null>;
