import type { HostForm } from "../../model/forms.ts";
import type { Team } from "../../model/teams.ts";

/** The finding of a check. */
export interface FormCheckResult {
  /** True locks the form. */
  lock?: boolean;
  /** The fault, in words. The host reads it, and the form's team too if the form is locked. */
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
