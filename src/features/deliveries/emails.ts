import type { Core } from "../../core/core.ts";
import { countOfMailbox, takeHourly } from "../../core/rates/hourly.ts";
import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import {
  type EmailListQuery,
  emailKindOf,
  type FormEmail,
  type FormEmailList,
  toFormEmail,
} from "../../model/emails.ts";
import { keepsFrom } from "../../model/field-policy.ts";
import { addresseeOf, allRecipients, type JobRecord } from "../../model/jobs.ts";
import type { Caller } from "../../model/keys.ts";
import { jobsRun, pageOfJobs } from "../jobs/page.ts";
import { sendAgain } from "./again.ts";

/** Mails sent again to one mailbox in an hour, because anyone with a key could flood it. A visitor asked for only one. */
const AGAIN = { "again-owner": 60, "again-visitor": 3 };

/** Shown in place of an address that a caller may not see. */
const HIDDEN = "••••";

const missing = (): ApiError => new ApiError("not_found", { message: "The form has no email with this id." });

/** The form's mails, newest first. A page may be shorter than `limit` if few of many deliveries match; follow the cursor. */
export async function listEmails(
  core: Core,
  caller: Pick<Caller, "sees" | "without">,
  form: Row<"forms">,
  { cursor, limit, ...filters }: EmailListQuery,
): Promise<FormEmailList> {
  const { status, kind, submission_id } = filters;
  return pageOfJobs(core, {
    run: jobsRun(form.id, submission_id),
    scope: JSON.stringify(["emails", form.id, status, kind, submission_id]),
    limit,
    cursor,
    shown({ id, value }) {
      const is = emailKindOf(value);
      if (is === null || value.form_id !== form.id) return null;
      if ((kind !== undefined && is !== kind) || (status !== undefined && value.status !== status)) return null;
      return shownTo(caller, form, toFormEmail(id, is, value));
    },
  });
}

/**
 * Sends a mail again, whatever its state is. At most 60 an hour to one mailbox, and 3 an hour to a visitor's. Throws
 * `not_found`, `submission_not_stored`, `plan_restricted`, `rate_limited`.
 */
export async function resendEmail(
  core: Core,
  caller: Pick<Caller, "sees" | "without">,
  form: Row<"forms">,
  id: string,
): Promise<FormEmail> {
  const row = await core.rows.get("jobs", id);
  const kind = row && emailKindOf(row.value);
  if (!row || !kind || row.value.form_id !== form.id) throw missing();
  await assertRoom(core, row.value, `${id}:${row.value.attempt}:${core.clock.now()}`);
  return shownTo(caller, form, toFormEmail(id, kind, await sendAgain(core, row, missing)));
}

/** An email as a caller may see it. The address of a visitor is the value of a field. */
function shownTo({ sees, without }: Pick<Caller, "sees" | "without">, form: Row<"forms">, email: FormEmail): FormEmail {
  const isHidden = without !== undefined || (sees !== undefined && keepsFrom(form.value.settings.fields, sees));
  const isVisitors = !["owner_email", "digest", "forward"].includes(email.kind);
  return isHidden && isVisitors ? { ...email, to: HIDDEN, message: null } : email;
}

async function assertRoom(core: Core, job: JobRecord, name: string): Promise<void> {
  const whose = job.kind === "owner_email" || job.kind === "forward" ? "again-owner" : "again-visitor";
  // An address that is stored encrypted is in no job.
  const all = job.copies ? allRecipients(job) : [addresseeOf(job) || job.submission_id];
  const counts = all.map((to) => countOfMailbox(core, whose, to, AGAIN[whose]));
  const until = await takeHourly(core, counts, name);
  if (until === null) return;
  throw new ApiError("rate_limited", {
    message: `At most ${AGAIN[whose]} emails an hour can be sent again to one address.`,
    headers: { "retry-after": String(Math.max(1, Math.ceil((until - core.clock.now()) / 1_000))) },
  });
}
