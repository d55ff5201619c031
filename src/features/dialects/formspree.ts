import type { ErrorCode } from "../../errors.ts";
import { dialect, type Problem } from "./_dialect.ts";

/** Codes that Formspree's client knows for a whole form. */
const formCodes: Partial<Record<ErrorCode, string>> = {
  empty_submission: "EMPTY",
  form_not_found: "FORM_NOT_FOUND",
  form_inactive: "INACTIVE",
  form_locked: "INACTIVE",
  form_closed: "INACTIVE",
  form_full: "INACTIVE",
  origin_not_allowed: "BLOCKED",
  captcha_failed: "BLOCKED",
  rate_limited: "BLOCKED",
  too_many_files: "TOO_MANY_FILES",
  payload_too_large: "FILES_TOO_BIG",
  plan_restricted: "NO_FILE_UPLOADS",
};

const NUMERIC = /^(number|min|max)$/;

function fieldCode(rule: string, isSent: boolean): string {
  if (rule === "required") return isSent ? "REQUIRED_FIELD_EMPTY" : "REQUIRED_FIELD_MISSING";
  if (rule === "email") return "TYPE_EMAIL";
  return NUMERIC.test(rule) ? "TYPE_NUMERIC" : "TYPE_TEXT";
}

/** Their client looks at `errors` before the status, and takes an empty list for a failure too. */
function failure({ code, message, faults, sent }: Problem): object {
  const known = formCodes[code];
  const whole = { code: known ?? "UNSPECIFIED", message };
  const errors = known
    ? [whole]
    : faults.map(({ field, message: text, rule }) =>
        field === "_form"
          ? { code: "UNSPECIFIED", message: text }
          : { code: fieldCode(rule, sent.has(field)), field, message: text },
      );
  return { ok: false, error: message, errors: errors.length > 0 ? errors : [whole] };
}

/** https://formspree.io, as @formspree/core 4 speaks to it. `/f/{id}` and `/p/{team}/f/{key}` are our own addresses. */
export const formspree = dialect({
  name: "formspree",
  addresses: [],
  dropped: ["_format", "_cc", "_host_nonce"],
  success: ({ next }) => ({ ok: true, next }),
  failure,
});
