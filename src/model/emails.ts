import { z } from "zod";
import { Cursor, Limit, listOf, Timestamp } from "../lib/wire.ts";
import { addresseeOf, DeliveryStatus, type JobRecord } from "./jobs.ts";

/** Mails caused by a submission. Mails in the service's own name, such as a notice about a failing webhook, don't count. */
export const EmailKind = z.enum(["owner_email", "auto_response", "confirmation", "digest", "reply", "forward"]);
export type EmailKind = z.infer<typeof EmailKind>;

/** One mail of a form, with its latest outcome. */
export const FormEmail = z
  .object({
    /** The mail's id. */
    id: z.string(),
    /** The submission that caused it. */
    submission_id: z.string(),
    /** The kind of mail. */
    kind: EmailKind,
    to: z
      .string()
      .describe("The recipient's address, or several separated by commas if they all got the same message."),
    /** The state of the mail. */
    status: DeliveryStatus,
    code: z.string().describe("`SUCCESS`, or what went wrong in the last attempt."),
    message: z.string().nullable().describe("Error text of the last attempt."),
    attempt: z.int().min(0).describe("Attempts so far."),
    next_attempt_at: Timestamp.nullable().describe("Null if there is no further attempt."),
    occurred_at: Timestamp.describe("Time when the last attempt ended."),
  })
  .meta({ id: "Email" });
export type FormEmail = z.infer<typeof FormEmail>;

export const FormEmailList = listOf(FormEmail, "EmailList");
export type FormEmailList = z.infer<typeof FormEmailList>;

export const EmailListQuery = z.strictObject({
  /** Only mails in this state. */
  status: DeliveryStatus.optional(),
  /** Only mails of this kind. */
  kind: EmailKind.optional(),
  submission_id: z.string().max(100).optional().describe("Only the emails of this submission."),
  limit: Limit,
  cursor: Cursor,
});
export type EmailListQuery = z.output<typeof EmailListQuery>;

export const EmailId = z.string().min(1);

/** The kind of a form's mail; null if the job is not one. */
export function emailKindOf({ kind }: JobRecord): EmailKind | null {
  const known = EmailKind.safeParse(kind);
  return known.success ? known.data : null;
}

/** Faults of the host's own mail server. Its address and its messages belong in the host's log and not in a team's list. */
const OF_HOST = new Set([
  "ERROR_EMAIL_AUTH",
  "ERROR_EMAIL_CONNECTION",
  "ERROR_EMAIL_INTERNAL",
  "ERROR_EMAIL_TIMEOUT",
  "ERROR_EMAIL_TLS",
]);

/** The result of an attempt at a mail, as a team may read it. */
export function messageOf({
  code,
  target,
  message,
}: Pick<JobRecord, "code" | "target"> & { readonly message?: string | undefined }): string | null {
  const ownServer = target.startsWith("srv_");
  return OF_HOST.has(code) && !ownServer
    ? "The mail server can't be used; the log of the service says why."
    : (message ?? null);
}

/** The row as its API shape. */
export const toFormEmail = (id: string, kind: EmailKind, job: JobRecord): FormEmail => ({
  id,
  submission_id: job.submission_id,
  kind,
  to: [addresseeOf(job), ...(job.copies?.to ?? [])].join(", "),
  status: job.status,
  code: job.code,
  message: messageOf(job),
  attempt: job.attempt,
  next_attempt_at: job.due_at,
  occurred_at: job.occurred_at,
});
