import { createHash } from "node:crypto";
import { type Core, find } from "../../core.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import type { FormRecord } from "../../forms/schema.ts";
import type { Verdict } from "../../submissions/schema.ts";
import type { Mark } from "../mark.ts";
import type { RemoteProvider } from "../options.ts";
import { UNVERIFIED } from "../verdict.ts";
import { readSolution } from "./altcha.ts";
import { friendlyCaptcha } from "./friendly-captcha.ts";
import { hcaptcha } from "./hcaptcha.ts";
import { recaptcha } from "./recaptcha.ts";
import type { RemoteCaptcha } from "./siteverify.ts";
import { turnstile } from "./turnstile.ts";

/** How long a solved captcha stays good for a post that was not stored; the providers' own tokens live 2 to 5 minutes. */
const KEEP_MS = 5 * 60_000;

const remote: Readonly<Record<RemoteProvider, RemoteCaptcha>> = {
  recaptcha,
  hcaptcha,
  turnstile,
  friendly_captcha: friendlyCaptcha,
};

/** A captcha that was not refused. */
export interface CaptchaPass {
  readonly verdict: Verdict;
  /** What makes the solution single use. */
  readonly mark?: Mark;
  /** To be called when the post is not stored: the visitor may send the same token again. */
  readonly release: () => void;
}

/**
 * Judges a post by the captcha of its form, which alone decides on the provider; null where the form has none.
 * Throws `captcha_failed`.
 */
export async function checkCaptcha(
  core: Core,
  form: Stored<FormRecord>,
  tokens: ReadonlyMap<string, string>,
  ip: string | null,
): Promise<CaptchaPass | null> {
  const { provider, secret: sealed } = form.value.spam.captcha;
  if (provider === "none") return null;
  let secret: string;
  try {
    secret = await core.seal.open(sealed);
  } catch {
    // A changed option `secret` is no fault of the visitor's.
    core.options.logger.error(
      `the captcha secret of form ${form.id} was sealed under another \`secret\`: set it again`,
    );
    return unverified;
  }
  return provider === "altcha"
    ? checkAltcha(core, form, secret, tokens.get("altcha") ?? "")
    : checkRemote(core, form, provider, secret, tokens, ip);
}

async function checkAltcha(core: Core, form: Stored<FormRecord>, secret: string, field: string): Promise<CaptchaPass> {
  const reading = await readSolution(secret, form.id, field, core.clock.now());
  if (!reading.solved) throw refused(core, form, reading.reason);
  const mark: Mark = { id: `altcha:${form.id}:${reading.nonce}`, expiresAt: reading.expiresAt };
  if (await find(core, "marks", mark.id)) throw refused(core, form, "spent");
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
  const { timeoutMs, verifyUrl } = core.options.captcha;
  const key = createHash("sha256")
    .update(JSON.stringify([form.id, provider, secret, token]))
    .digest("base64");
  const kept = core.recall.captchas.take(key);
  if (kept && core.clock.now() < kept.until) return pass(kept.verdict);

  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await ask({ secret, token, ip, url: verifyUrl[provider] ?? url, signal });
  if (answer.outcome === "unreachable") {
    core.options.logger.warn(`captcha ${provider} cannot be reached (${answer.reason}): a submission goes unverified`);
    return unverified;
  }
  if (answer.outcome === "failed") {
    if (answer.misconfigured) {
      core.options.logger.error(`captcha ${provider} refuses the secret of form ${form.id} (${answer.reason})`);
    }
    throw refused(core, form, answer.reason);
  }
  if (!isAllowedHost(answer.hostname, form.value.allowed_origins)) {
    throw refused(core, form, `solved on ${answer.hostname}`);
  }
  return pass(passed(answer.score));

  function pass(verdict: Verdict): CaptchaPass {
    const release = (): void => core.recall.captchas.set(key, { verdict, until: core.clock.now() + KEEP_MS });
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
