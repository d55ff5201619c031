import type { Core } from "../../core/core.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { issueChallenge } from "../spam/captcha/altcha.ts";
import { captchaSecret } from "../spam/captcha/verify.ts";
import { renderTokensOf } from "../spam/token.ts";
import { openForm } from "./accept.ts";

/** A render token of a form and its expiry; also of an inactive form, whose page must still render. Throws `form_not_found`. */
export async function renderTokenOf(core: Core, formId: string): Promise<{ token: string; expires_at: string }> {
  const form = await core.rows.cached("forms", formId);
  if (!form) throw new ApiError("form_not_found");
  const { token, expiresAt } = renderTokensOf(core).issue(formId, core.clock.now());
  return { token, expires_at: iso(expiresAt) };
}

/** A challenge for the ALTCHA widget. Throws `form_not_found`, `form_inactive`, `not_found` where the form's captcha is another. */
export async function challengeOf(core: Core, formId: string): Promise<object> {
  const form = await openForm(core, formId);
  if (form.value.spam.captcha.provider !== "altcha")
    throw new ApiError("not_found", { message: "The form's captcha is not ALTCHA." });
  return issueChallenge(await captchaSecret(core, form), formId, core.clock.now());
}
