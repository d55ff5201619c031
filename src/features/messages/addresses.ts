import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { distinct, isEmail, sameAddressKey } from "../../lib/email.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { submitterOf } from "../jobs/plan.ts";

/** The most recipients of one answer, copies included. */
const MOST = 10;

/** What an answer can be sent to. */
interface Known {
  readonly form: FormRecord;
  /** As mails may show it: an address that the form encrypts, or keeps out of mails, is not in it. */
  readonly submission: SubmissionRecord;
  readonly thread: readonly Row<"messages">[];
}

/**
 * The recipients of an answer. They must be in the submission, among the form's recipients, or in the conversation: otherwise a
 * key could send mail of any content to anybody. Throws `invalid_parameter` at `to` or `cc`.
 */
export function recipientsOf(
  { form, submission, thread }: Known,
  wanted: { readonly to?: readonly string[] | undefined; readonly cc?: readonly string[] | undefined },
): { to: string[]; cc: string[] } {
  const allowed = new Set(
    [
      ...submission.fields.map(({ value }) => value.trim()),
      submission.reply_to?.trim() ?? "",
      ...form.self_email_notification.recipients,
      ...thread.flatMap(({ value }) => [value.direction === "in" ? value.from : "", ...value.to, ...value.cc]),
    ]
      .filter(isEmail)
      .map(sameAddressKey),
  );
  const usual = submitterOf(submission);
  const to = distinct(wanted.to ?? (usual === null ? [] : [usual]));
  if (to.length === 0) throw refused("to", "is required: the submission has no address that it could be answered to");
  const cc = distinct(wanted.cc ?? []).filter(
    (address) => !to.some((one) => sameAddressKey(one) === sameAddressKey(address)),
  );
  for (const [param, list] of [
    ["to", to],
    ["cc", cc],
  ] as const) {
    const foreign = list.find((address) => !allowed.has(sameAddressKey(address)));
    if (foreign !== undefined) {
      throw refused(
        param,
        `may have only addresses in the submission, of the form's recipients and of the conversation, and not "${foreign}"`,
      );
    }
  }
  if (to.length + cc.length > MOST) throw refused("to", `may have at most ${MOST} addresses, those in \`cc\` included`);
  return { to, cc };
}

const refused = (param: string, fault: string): ApiError =>
  new ApiError("invalid_parameter", { param, message: `\`${param}\` ${fault}.` });
