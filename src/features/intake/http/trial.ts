import type { Core } from "../../../core/core.ts";
import { limitCaller } from "../../../core/http/limits.ts";
import type { Exchange } from "../../../core/http/route.ts";
import type { Row } from "../../../core/rows.ts";
import type { ApiError } from "../../../errors.ts";
import { jsonResponse } from "../../../lib/response.ts";
import { TemplateError } from "../../../lib/template.ts";
import { isService } from "../../../model/destinations.ts";
import type { DryRun, DryRunEmail, DryRunWebhook } from "../../../model/dry-run.ts";
import { type FieldPolicies, isProtected } from "../../../model/field-policy.ts";
import type { JobRecord } from "../../../model/jobs.ts";
import type { SubmissionRecord } from "../../../model/submission-record.ts";
import { previewOf } from "../../deliveries/entries.ts";
import { reachForm } from "../../forms/access.ts";
import { formatOf } from "../../forms/webhook-config.ts";
import { urlOf } from "../../forms/webhook-url.ts";
import { planJobs } from "../../jobs/plan.ts";
import { isMonthFull } from "../../jobs/quota.ts";
import { assertScopes, assertTeam, authenticate } from "../../keys/auth.ts";
import { nextDigest } from "../../mail/digest.ts";
import type { Draft, MailKind } from "../../mail/letter.ts";
import { optInAddress, optInSubject } from "../../mail/opt-in.ts";
import { draftOf } from "../../mail/prepare.ts";
import { compose } from "../../mail/send.ts";
import { senderOf } from "../../mail/sender.ts";
import { readableFields } from "../../privacy/protect.ts";
import { eventOf } from "../../submissions/event.ts";
import { cachedTeam, planOf } from "../../teams/service.ts";
import { assertFilled } from "../accept.ts";
import { assertOpenAt } from "../availability.ts";
import { type Composed, composePost, isSpam } from "../compose.ts";
import type { Posted } from "../fields.ts";
import { asksConsent } from "../pending.ts";
import { judge } from "../pipeline.ts";
import { assertPlace } from "../places.ts";
import type { Accepted, Visitor } from "../post.ts";
import { uniqueWrites } from "../unique.ts";

type Effects = Pick<DryRun, "emails" | "webhooks">;

/** A post that is judged and answered like any other, and neither stored, sent nor counted. */
export interface Trial {
  /** Throws `form_not_found`, `form_access_restricted`, and the codes of the caller's team. */
  reach(formId: string): Promise<void>;
  /** True once the caller has reached the form: only then may the trial say anything of it. */
  readonly isOpen: () => boolean;
  /** The submission that the post would become. Throws the codes of the public endpoint's table. */
  accept(form: Row<"forms">, posted: Posted, visitor: Visitor): Promise<Accepted>;
  /** The result: `response` is the answer to the request as it came, and `error` the reason of a refusal. */
  report(response: Response, error?: ApiError): Promise<Response>;
}

/** True if the request asks for a trial, whoever sends it. */
export const asksTrial = ({ url }: Exchange): boolean => url.searchParams.get("dry_run") === "1";

/**
 * Begins the trial that a request asks for with `dry_run=1`. A switch without a credential would let
 * spammers try their posts against the filter. Throws the codes of a wrong credential.
 */
export async function trialOf(exchange: Exchange): Promise<Trial> {
  const { core } = exchange;
  const caller = await authenticate(exchange);
  await assertTeam(core, caller);
  assertScopes(caller, ["forms:read", "submissions:read"]);
  await limitCaller(exchange, caller);
  let isOpen = false;
  let submission: SubmissionRecord | null = null;
  let effects: Effects = { emails: [], webhooks: [] };
  return {
    async reach(formId) {
      await reachForm(core, caller, formId);
      isOpen = true;
    },
    isOpen: () => isOpen,
    async accept(form, posted, visitor) {
      const made = await madeOf(core, form, posted, visitor);
      submission = made.submission;
      effects = await effectsOf(core, form, made, posted);
      return made;
    },
    async report(response, error) {
      const location = response.headers.get("location");
      const body = await response.text();
      const result: DryRun = {
        dry_run: true,
        accepted: error === undefined,
        status: error?.status ?? 200,
        spam: submission?.spam ?? false,
        verdicts: submission?.verdict ?? [],
        errors: { ...error?.fields },
        fields: submission?.fields ?? [],
        ...(submission?.routed_to && { routed_to: submission.routed_to }),
        answer: { status: response.status, ...(location && { location }), ...(body && { body }) },
        ...effects,
      };
      return jsonResponse(result, 200);
    },
  };
}

interface Made extends Accepted, Composed {}

async function madeOf(core: Core, form: Row<"forms">, posted: Posted, visitor: Visitor): Promise<Made> {
  assertFilled(posted);
  assertOpenAt(form.value, core.clock.now());
  await assertPlace(core, form);
  const judgement = await judge(core, form, posted, visitor, posted.files.keys, true);
  judgement.release();
  const { verdict } = judgement;
  if (!isSpam(verdict)) await uniqueWrites(core, form, "", posted.fields);
  const now = core.clock.now();
  // It takes no place, and is told what a post would find.
  const counted = !isSpam(verdict) && !asksConsent(form.value) && !(await isMonthFull(core, form.value.team_id));
  const content = { fields: readableFields(core, form, posted.fields) };
  const post = { form, posted, visitor, within: null };
  return { id: core.sortableId(now), ...(await composePost(core, post, { verdict, now, counted, content })) };
}

/** The mails and requests that the submission would cause. */
async function effectsOf(core: Core, form: Row<"forms">, made: Made, posted: Posted): Promise<Effects> {
  const { id, submission, words, waits } = made;
  if (waits) {
    const to = optInAddress(form.value, posted.fields);
    const subject = await optInSubject(form, words);
    return { emails: to === null ? [] : [{ kind: "confirmation", to, cc: [], subject }], webhooks: [] };
  }
  const kept = withoutProtected(form.value.settings.fields, submission);
  const due = planJobs(core, form, id, kept, core.clock.now()).filter(({ job }) => job.due_at !== null);
  const team = await cachedTeam(core, form.value.team_id);
  if (!team) return { emails: [], webhooks: [] };
  const plan = planOf(core, team.value);
  const emails: DryRunEmail[] = [];
  const webhooks: DryRunWebhook[] = [];
  for (const planned of due) {
    const { job } = planned;
    if (job.kind !== "webhook") {
      const draft = await draftOf(core, form, submission, planned, plan);
      if (!("status" in draft)) emails.push(await emailOf(core, job, draft));
      continue;
    }
    const webhook = form.value.webhooks.find((one) => one.id === job.target);
    if (!webhook || !plan.webhooks) continue;
    const format = webhook.format ?? "standard";
    const event = await eventOf(core, form, job, submission);
    const body = isService(webhook.format)
      ? await previewOf(core, webhook, webhook.format, event)
      : await (await formatOf(core, webhook)).body(event, new URL(await urlOf(core, webhook)));
    webhooks.push({ webhook_id: webhook.id, format, body });
  }
  return { emails, webhooks };
}

/** The submission without the values that the store keeps sealed: no address among them gets a reply. */
function withoutProtected(policies: FieldPolicies, submission: SubmissionRecord): SubmissionRecord {
  const fields = submission.fields.map((field) =>
    isProtected(policies, field.key) ? { key: field.key, value: "" } : field,
  );
  return { ...submission, fields };
}

async function emailOf(core: Core, job: JobRecord, draft: Draft): Promise<DryRunEmail> {
  const { form, to } = draft;
  const kind: MailKind = job.kind === "auto_response" ? "auto_response" : "owner_email";
  const digest = kind === "owner_email" ? nextDigest(core, form) : null;
  if (digest) return { kind: "digest", to, cc: [], ...digest };
  const { copies = { to: [], cc: [], bcc: [] } } = draft;
  const addressed = {
    kind,
    to: [to, ...copies.to].join(", "),
    cc: copies.cc,
    ...(copies.bcc.length > 0 && { bcc: copies.bcc }),
  };
  try {
    const { mail } = await compose(core, kind, draft, await senderOf(core, form.value, kind));
    return { ...addressed, subject: mail.subject };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { ...addressed, subject: "", error: error.message };
  }
}
