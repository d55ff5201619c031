import { block, number, text } from "../lib/leaves.ts";

/** The content of a notice to an owner about the address of another one, which takes no mail. */
export interface OwnerBounce {
  email: string;
  /** The words of the mail server, without addresses. */
  reason: string;
}

/** Reads one from the store. */
export const ownerBounceLeaf = block<OwnerBounce>({ email: text(), reason: text("") });

/** The content of a notice to a team's owner about a full month. */
export interface PlanExceeded {
  /** The plan of the team. */
  plan: string;
  /** Submissions that the plan takes in a month. */
  limit: number;
  /** In UTC, `2026-11`. */
  month: string;
}

/** Reads one from the store. */
export const planExceededLeaf = block<PlanExceeded>({ plan: text(""), limit: number(0), month: text("") });
