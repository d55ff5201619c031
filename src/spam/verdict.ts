import type { Verdict } from "../submissions/schema.ts";

/** Said of a submission that was let through because its captcha's provider was down. */
export const UNVERIFIED: Verdict = { check: "captcha", spam: false, reason: "unverified" };

/** Whether nobody vouches for a submission that should have brought a solved captcha. */
export const isUnverified = (verdict: readonly Verdict[]): boolean =>
  verdict.some(({ check, reason }) => check === UNVERIFIED.check && reason === UNVERIFIED.reason);
