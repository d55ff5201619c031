import { type Core, find } from "../core.ts";
import type { Stored } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import type { FormRecord } from "../forms/schema.ts";
import { endpointOf } from "../forms/view.ts";
import { iso } from "../lib/clock.ts";
import { checkCaptcha } from "../spam/captcha/verify.ts";
import type { CheckedForm } from "../spam/check.ts";
import { contentVerdicts } from "../spam/content.ts";
import type { Mark } from "../spam/mark.ts";
import type { Verdict } from "../submissions/schema.ts";
import type { Posted } from "./fields.ts";
import type { Visitor } from "./post.ts";
import { validate } from "./validate.ts";

/** What was found out about a post that is to be stored. */
export interface Judgement {
  readonly verdict: readonly Verdict[];
  /** To be committed with the submission, each expected to be new. */
  readonly marks: readonly Mark[];
  /** The judgement where somebody else had a mark first, null where it is none of ours. Throws `captcha_failed`. */
  readonly contested: (markId: string) => Judgement | null;
  /** To be called when the post is not stored after all, so that it can be sent again as it is. */
  readonly release: () => void;
}

/**
 * Judges a parsed post in the fixed order honeypot → token → captcha → validation → content. A filled honeypot skips captcha and
 * validation: the sender must not learn from an error that there is more to pass. Throws `captcha_failed`, `validation_failed`.
 */
export async function judge(
  core: Core,
  form: Stored<FormRecord>,
  posted: Posted,
  visitor: Visitor,
  files: readonly string[] = [],
): Promise<Judgement> {
  const { protection } = form.value.spam;
  const trapped = Boolean(posted.special._gotcha);
  const token = await checkToken(core, form, posted.special._token);
  const captcha = trapped ? null : await checkCaptcha(core, form, posted.captcha, visitor.ip);
  const release = captcha?.release ?? (() => {});
  try {
    if (!trapped) await validate(form.value.validation, posted.fields, core.recall.schemas.get(form.id), files);
    const before = [
      ...(trapped ? [{ check: "honeypot", spam: true }] : []),
      ...(token ? [token.verdict] : []),
      ...(captcha ? [captcha.verdict] : []),
    ];
    const headers = [posted.special._subject, posted.special._replyto].filter((value) => value !== undefined);
    const submission = { form_id: form.id, created_at: iso(core.clock.now()), ...visitor, fields: posted.fields };
    const known = before.some(({ spam }) => spam);
    const content = protection ? await contentVerdicts(core, submission, formFacts(core, form), headers, known) : [];
    const marks = [token?.mark, captcha?.mark].filter((mark) => mark !== undefined);
    return judgement([...before, ...content], marks);
  } catch (error) {
    release();
    throw error;
  }

  function judgement(verdict: readonly Verdict[], marks: readonly Mark[]): Judgement {
    return {
      verdict,
      marks,
      release,
      contested(markId) {
        if (markId === captcha?.mark?.id) throw new ApiError("captcha_failed");
        if (markId !== token?.mark?.id) return null;
        const others = verdict.filter(({ check }) => check !== "token");
        const left = marks.filter(({ id }) => id !== markId);
        return judgement([...others, tokenFault("used")], left);
      },
    };
  }
}

/** What the render token says, null where none came and none is required. A token is spent whatever else is wrong with the post. */
async function checkToken(
  core: Core,
  form: Stored<FormRecord>,
  token: string | undefined,
): Promise<{ verdict: Verdict; mark?: Mark } | null> {
  if (!token) return form.value.spam.require_token ? { verdict: tokenFault("missing") } : null;
  const reading = core.renderTokens.read(token, form.id, core.clock.now());
  if (!("id" in reading)) return { verdict: tokenFault(reading.fault) };
  const mark: Mark = { id: `token:${form.id}:${reading.id}`, expiresAt: reading.expiresAt };
  if (await find(core, "marks", mark.id)) return { verdict: tokenFault("used") };
  return { verdict: reading.fault ? tokenFault(reading.fault) : { check: "token", spam: false }, mark };
}

const tokenFault = (reason: string): Verdict => ({ check: "token", spam: true, reason });

function formFacts(core: Core, { id, value }: Stored<FormRecord>): CheckedForm {
  const { team_id, name, folder_id, created_at } = value;
  return { id, team_id, name, folder_id, created_at, endpoint: endpointOf(core, id) };
}
