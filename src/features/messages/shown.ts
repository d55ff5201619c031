import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { withoutValues } from "../../lib/echo.ts";
import type { Sink } from "../../model/field-policy.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { DeliveryStatus, JobRecord } from "../../model/jobs.ts";
import type { Caller } from "../../model/keys.ts";
import type { Message, ThreadMessage } from "../../model/messages.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { fileUrl, linkExpiry } from "../files/links.ts";
import { opened, seenBy } from "../privacy/shown.ts";

/** Shown in place of what a caller may not see. */
const HIDDEN = "••••";
/** Shorter values are parts of ordinary words. */
const SHORTEST = 3;

const statuses: Readonly<Record<DeliveryStatus, Message["status"]>> = {
  pending: "queued",
  retrying: "queued",
  succeeded: "sent",
  failed: "failed",
  skipped: "skipped",
};

/** The state of an answer, as its email job has it. */
export const stateOf = ({ status, code }: Pick<JobRecord, "status" | "code">): Pick<Message, "status" | "code"> => ({
  status: statuses[status],
  code,
});

/** A message as every API returns it; `job` is the email job of an answer, if it is still in the log. */
export function toMessage(
  core: Core,
  { id, value }: Pick<Row<"messages">, "id" | "value">,
  job?: JobRecord,
  expires: number = linkExpiry(core),
): Message {
  const { submission_id, direction, author, from, to, cc, subject, text, created_at } = value;
  return {
    id,
    submission_id,
    direction,
    author,
    from,
    to,
    cc,
    subject,
    text,
    attachments: value.attachments.map(({ file_id, name, mime_type, size }) => ({
      name,
      url: fileUrl(core, file_id, name, expires),
      mime_type,
      size,
    })),
    ...(job ? stateOf(job) : { status: value.status, code: value.code }),
    created_at,
  };
}

/** Messages with the state of their email jobs. */
export async function toMessages(core: Core, rows: readonly Row<"messages">[]): Promise<Message[]> {
  const out = rows.filter(({ value }) => value.direction === "out").map(({ id }) => id);
  const jobs = await core.rows.many("jobs", out);
  return rows.map((row) => toMessage(core, row, jobs.get(row.id)?.value));
}

/** The same with the whole text of mails that quote. */
export async function toThread(core: Core, rows: readonly Row<"messages">[]): Promise<ThreadMessage[]> {
  const messages = await toMessages(core, rows);
  return messages.map((message, at) => {
    const whole = rows[at]?.value.whole;
    return whole === undefined ? message : { ...message, whole };
  });
}

/**
 * Messages as a caller may see them: the values of fields that are kept from the caller are replaced wherever they stand, for
 * an answer repeats what the form has asked.
 */
export async function messagesFor<M extends ThreadMessage>(
  core: Core,
  caller: Pick<Caller, "sees" | "without" | "passesOn">,
  form: FormRecord | null,
  submission: { readonly id: string; readonly value: SubmissionRecord },
  messages: readonly M[],
  sink: Sink | "reader" = caller.sees ?? "reader",
): Promise<M[]> {
  const without = [...(caller.without ?? []), ...(caller.passesOn ?? [])];
  if (sink === "reader" && without.length === 0) return [...messages];
  const all = await opened(core, submission.id, submission.value);
  const seen = await seenBy(core, form, submission.id, submission.value, sink, {
    ...(caller.sees && { sees: caller.sees }),
    without,
  });
  const shown = new Set(everyField(seen).map(({ key, value }) => `${key}\n${value}`));
  const hidden = everyField(all)
    .filter(({ key, value }) => !shown.has(`${key}\n${value}`))
    .map(({ value }) => value.trim())
    .filter((value) => value.length >= SHORTEST);
  const gone = filesHidden(all, seen);
  if (hidden.length === 0 && gone.length === 0) return [...messages];
  const kept = (text: string): string => withoutValues(text, hidden, HIDDEN);
  return messages.map((message) => ({
    ...message,
    from: kept(message.from),
    to: message.to.map(kept),
    cc: message.cc.map(kept),
    subject: kept(message.subject),
    text: kept(message.text),
    ...(message.whole !== undefined && { whole: kept(message.whole) }),
    attachments: message.attachments.filter(({ url }) => !gone.some((part) => url.includes(part))),
  }));
}

/** The fields of a submission and of its earlier versions. */
const everyField = ({ fields, revisions = [] }: SubmissionRecord): SubmissionField[] => [
  ...fields,
  ...revisions.flatMap((version) => version.fields),
];

/** The parts of the URLs of files of the submission that are kept from the caller: an answer may have them attached. */
const filesHidden = (all: SubmissionRecord, seen: SubmissionRecord): string[] => {
  const shown = new Set(seen.attachments.map(({ file_id }) => file_id));
  return all.attachments.filter(({ file_id }) => !shown.has(file_id)).map(({ file_id }) => `/${file_id}/`);
};
