import { createHash } from "node:crypto";
import type { Core } from "../../../core/core.ts";
import type { RemoteProvider } from "../../../core/options/spam.ts";
import type { Stored } from "../../../drivers/storage/types.ts";
import { ApiError } from "../../../errors.ts";
import { SealError } from "../../../lib/seal.ts";
import type { FormRecord } from "../../../model/form-record.ts";
import type { Mark } from "../../../model/mark.ts";
import type { Verdict } from "../../../model/verdict.ts";
import { UNVERIFIED } from "../../../model/verdict.ts";
import { processMemoryOf } from "../process-memory.ts";
import { readSolution } from "./altcha.ts";
import { friendlyCaptcha } from "./friendly-captcha.ts";
import { hcaptcha } from "./hcaptcha.ts";
import { recaptcha } from "./recaptcha.ts";
import type { RemoteCaptcha } from "./siteverify.ts";
import { turnstile } from "./turnstile.ts";

/** Time that a solved captcha stays valid for a post that was not stored; the providers' own tokens live 2 to 5 minutes. */
const KEEP_MS = 5 * 60_000;

/** Far longer than any provider's tokens; their documents name at most 2,048 characters. */
const MAX_TOKEN = 8_192;

const remote: Readonly<Record<RemoteProvider, RemoteCaptcha>> = {
  recaptcha,
  hcaptcha,
  turnstile,
  friendly_captcha: friendlyCaptcha,
};

/** A captcha that was not refused. */
export interface CaptchaPass {
  readonly verdict: Verdict;
  /** Makes the solution single-use. */
  readonly mark?: Mark;
  /** Call it when the post is not stored: the visitor may send the same token again. */
  readonly release: () => void;
}

/**
 * Judges a post by the captcha of its form, which alone decides on the provider; null where the form has none.
 * Throws `captcha_failed`, and `unavailable` where the captcha's secret can't be opened.
 */
export async function checkCaptcha(
  core: Core,
  form: Stored<FormRecord>,
  tokens: ReadonlyMap<string, string>,
  ip: string | null,
): Promise<CaptchaPass | null> {
  const { provider } = form.value.spam.captcha;
  if (provider === "none") return null;
  const secret = await captchaSecret(core, form);
  return provider === "altcha"
    ? checkAltcha(core, form, secret, tokens.get("altcha") ?? "")
    : checkRemote(core, form, provider, secret, tokens, ip);
}

/** The secret of a form's captcha. Throws `unavailable` where it can't be opened. */
export async function captchaSecret(core: Core, form: Stored<FormRecord>): Promise<string> {
  try {
    return await core.seal.open(form.value.spam.captcha.secret);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    // Neither solved nor unreachable: nobody gets past a captcha because it can't be checked.
    core.options.logger.error(
      `form ${form.id} refuses every post, because its captcha secret was encrypted with another \`secret\`: ` +
        "add that one to the option after yours, or enter the captcha's secret again",
    );
    throw new ApiError("unavailable", { headers: { "retry-after": "60" } });
  }
}

async function checkAltcha(core: Core, form: Stored<FormRecord>, secret: string, field: string): Promise<CaptchaPass> {
  if (field.length > MAX_TOKEN) throw refused(core, form, "the solution is too long");
  const reading = await readSolution(secret, form.id, field, core.clock.now());
  if (!reading.solved) throw refused(core, form, reading.reason);
  const mark: Mark = { id: `altcha:${form.id}:${reading.nonce}`, expiresAt: reading.expiresAt };
  if (await core.rows.get("marks", mark.id)) throw refused(core, form, "spent");
  return { verdict: passed(), mark, release() {} };
}

async function checkRemote(
  core: Core,
  form: Stored<FormRecord>,
  provider: RemoteProvider,
  secret: string,
  tokens: ReadonlyMap<string, string>,
  ip: string | null,
): Promise<CaptchaPass> {
  const { fields, url, ask } = remote[provider];
  const token = fields.map((name) => tokens.get(name)).find((value) => value);
  if (!token) throw refused(core, form, "missing");
  if (token.length > MAX_TOKEN) throw refused(core, form, "the token is too long");
  const { timeoutMs, verifyUrl } = core.options.captcha;
  const key = createHash("sha256")
    .update(JSON.stringify([form.id, provider, secret, token]))
    .digest("base64");
  const kept = processMemoryOf(core).captchas.take(key);
  if (kept && core.clock.now() < kept.until) return pass(kept.verdict);

  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await ask({ secret, token, ip, url: verifyUrl[provider] ?? url, signal });
  if (answer.outcome === "unreachable") {
    core.options.logger.warn(
      `captcha ${provider} cannot be reached (${answer.reason}): a submission was accepted unverified`,
    );
    return unverified;
  }
  if (answer.outcome === "failed") {
    if (answer.misconfigured) {
      core.options.logger.error(`captcha ${provider} refuses the secret of form ${form.id} (${answer.reason})`);
    }
    throw refused(core, form, answer.reason);
  }
  if (!isAllowedHost(answer.hostname, form.value.allowed_origins)) {
    throw refused(core, form, "solved on a site that is not in `allowed_origins`");
  }
  return pass(passed(answer.score));

  function pass(verdict: Verdict): CaptchaPass {
    const release = (): void => processMemoryOf(core).captchas.set(key, { verdict, until: core.clock.now() + KEEP_MS });
    return { verdict, release };
  }
}

/** A token that was solved on another site is worth nothing here, where the form says which sites are its own. */
function isAllowedHost(hostname: string | null, origins: readonly string[]): boolean {
  return hostname === null || origins.length === 0 || origins.some((origin) => new URL(origin).hostname === hostname);
}

const unverified: CaptchaPass = { verdict: UNVERIFIED, release() {} };

const passed = (score?: number): Verdict => ({ check: "captcha", spam: false, ...(score !== undefined && { score }) });

/** The visitor learns only that it failed; why is for the host's log. */
function refused(core: Core, form: Stored<FormRecord>, reason: string): ApiError {
  core.options.logger.debug(`captcha of form ${form.id} failed: ${reason}`);
  return new ApiError("captcha_failed");
}
