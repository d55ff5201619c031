import type { Core } from "../../core/core.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { unprotected } from "../../model/field-policy.ts";
import { type FormRecord, labelOf } from "../../model/form-record.ts";
import type { Mark } from "../../model/mark.ts";
import type { SpamCheck } from "../../model/spam-check.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import type { Verdict } from "../../model/verdict.ts";
import { endpointOf } from "../forms/view.ts";
import { submitterOf } from "../jobs/plan.ts";
import { checkCaptcha } from "../spam/captcha/verify.ts";
import { contentVerdicts } from "../spam/content.ts";
import { processMemoryOf } from "../spam/process-memory.ts";
import { sessionVerdict } from "../spam/session.ts";
import { renderTokensOf } from "../spam/token.ts";
import type { Posted } from "./fields.ts";
import { rulesOf } from "./form-rules.ts";
import { asksConsent, consentRules } from "./pending.ts";
import type { Visitor } from "./post.ts";
import { validate } from "./validate.ts";

/** Findings about a post that will be stored. */
export interface Judgement {
  readonly verdict: readonly Verdict[];
  /** To be committed with the submission, each expected to be new. */
  readonly marks: readonly Mark[];
  /** The judgement if another post used one of the marks first; null if the mark is not ours. Throws `captcha_failed`. */
  readonly contested: (markId: string) => Judgement | null;
  /** Call it when the post is not stored after all, so that it can be sent again as it is. */
  readonly release: () => void;
}

/**
 * Judges a parsed post in the fixed order honeypot → token → captcha → validation → content. A filled honeypot skips captcha and
 * validation: the sender must not learn from an error that there is more to pass. A trial is not counted. Throws `captcha_failed`, `validation_failed`.
 */
export async function judge(
  core: Core,
  form: Stored<FormRecord>,
  posted: Posted,
  visitor: Visitor,
  files: readonly string[] = [],
  isTrial = false,
): Promise<Judgement> {
  const trapped = Boolean(posted.special._gotcha);
  const { require_token, captcha: asked } = form.value.spam;
  const token = posted.special._token || require_token ? await checkToken(core, form, posted.special._token) : null;
  const isAsked = !trapped && asked.provider !== "none";
  const captcha = isAsked ? await checkCaptcha(core, form, posted.captcha, visitor.ip) : null;
  const release = captcha?.release ?? (() => {});
  try {
    if (!trapped && hasRules(core, form)) await assertValid(core, form, posted.fields, files);
    const before = [
      ...(trapped ? [{ check: "honeypot", spam: true }] : []),
      ...(token ? [token.verdict] : []),
      ...(captcha ? [captcha.verdict] : []),
    ];
    const known = before.some(({ spam }) => spam);
    const content = await contentFindings(core, form, posted, visitor, { known, isTrial });
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

const hasRules = (core: Core, { id, value }: Stored<FormRecord>): boolean =>
  asksConsent(value) ||
  (value.validation.enabled && value.validation.rules.length > 0) ||
  processMemoryOf(core).schemas.has(id);

/** Applies the form's rules and schema. Throws `validation_failed`; `isExcepted` names fields that are not judged. */
async function assertValid(
  core: Core,
  form: Stored<FormRecord>,
  fields: readonly SubmissionField[],
  files: readonly string[],
  isExcepted: (field: string) => boolean = () => false,
): Promise<void> {
  const rules = [...consentRules(form.value), ...(await rulesOf(core, form))].filter(({ field }) => !isExcepted(field));
  const asked = asksConsent(form.value) ? form.value.settings.double_opt_in.field : null;
  const known = files.filter((name) => name !== asked);
  const schema = processMemoryOf(core).schemas.get(form.id);
  await validate(rules, fields, schema, known, labelOf(form.value), form.value.team_id);
}

function contentFindings(
  core: Core,
  form: Stored<FormRecord>,
  { fields, special }: Pick<Posted, "fields" | "special">,
  visitor: Visitor,
  { known, isTrial }: { readonly known: boolean; readonly isTrial: boolean },
): Promise<Verdict[]> {
  const headers = [special._subject, special._replyto].filter((value) => value !== undefined);
  // A check of the host may call a service: it gets no value that must not be stored.
  const told = unprotected(form.value.settings.fields, fields);
  const sender = submitterOf({ fields, reply_to: special._replyto ?? null });
  const { ip, country } = visitor;
  return contentVerdicts(
    core,
    form,
    { fields, headers, sender, ip, country, told },
    {
      about: () => facts(core, form, visitor, told),
      known,
      isTrial,
      session: sessionVerdict(visitor.session, core.clock.now()),
    },
  );
}

/**
 * Judges what a sender makes of a stored submission: by the rules and by its content. The signed link stands for the token and the
 * captcha. Throws `validation_failed`.
 */
export async function judgeChange(
  core: Core,
  form: Stored<FormRecord>,
  fields: SubmissionField[],
  visitor: Visitor,
  files: readonly string[],
  isExcepted: (field: string) => boolean,
): Promise<Verdict[]> {
  await assertValid(core, form, fields, files, isExcepted);
  return contentFindings(core, form, { fields, special: {} }, visitor, { known: false, isTrial: true });
}

/**
 * The result of the render token, null if there is none and none is required. A token is used up even if the post has other
 * faults.
 */
async function checkToken(
  core: Core,
  form: Stored<FormRecord>,
  token: string | undefined,
): Promise<{ verdict: Verdict; mark?: Mark } | null> {
  if (!token) return form.value.spam.require_token ? { verdict: tokenFault("missing") } : null;
  const reading = renderTokensOf(core).read(token, form.id, core.clock.now());
  if (!("id" in reading)) return { verdict: tokenFault(reading.fault) };
  const mark: Mark = { id: `token:${form.id}:${reading.id}`, expiresAt: reading.expiresAt };
  if (await core.rows.get("marks", mark.id)) return { verdict: tokenFault("used") };
  return { verdict: reading.fault ? tokenFault(reading.fault) : { check: "token", spam: false }, mark };
}

const tokenFault = (reason: string): Verdict => ({ check: "token", spam: true, reason });

/** The arguments of the host's checks. */
function facts(
  core: Core,
  { id, value }: Stored<FormRecord>,
  { ip, country, user_agent, referer }: Visitor,
  fields: readonly SubmissionField[],
): Parameters<SpamCheck> {
  const { team_id, name, folder_id, created_at } = value;
  const at = iso(core.clock.now());
  return [
    { form_id: id, created_at: at, ip, country, user_agent, referer, fields: [...fields] },
    { id, team_id, name, folder_id, created_at, endpoint: endpointOf(core, id) },
  ];
}
