import { ApiError } from "../../errors.ts";
import type { HostForm } from "../../model/forms.ts";
import { readerOf } from "../../model/keys.ts";
import { isUnreadBy } from "../../model/readers.ts";
import type { HostSubmission } from "../../model/submissions.ts";
import { listOf } from "./filters.ts";
import { isOpenedByPerson } from "./origin.ts";
import type { MemberRequest } from "./visit.ts";

/** A submission at a page, with its form; null where that was deleted. */
export interface Item {
  readonly submission: HostSubmission;
  readonly form: HostForm | null;
  /** Its path below the inbox. */
  readonly at: string;
  /** The path of the list that it was opened from, with the filter of that list. */
  readonly list: string;
  /** The others who are at it, as a sentence; left out where nobody has looked. */
  readonly there?: string;
}

/** The submission that the path names. Throws `submission_not_found`, `form_not_found`, `form_access_restricted`. */
export async function itemOf(visit: MemberRequest): Promise<Item> {
  const { form_id = "", submission_id = "" } = visit.params;
  const params = { form_id, submission_id };
  const reading = visit.call("retrieveSubmission", { params }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== "submission_not_found") throw error;
    return visit.call("retrieveTrashed", { params: { form_id }, body: { id: submission_id } });
  });
  const [submission, form] = await Promise.all([reading as Promise<HostSubmission>, formOrNull(visit, form_id)]);
  return { submission, form, at: `/f/${form_id}/s/${submission_id}`, list: listOf(form_id, visit.query) };
}

/** Submissions outlive their form. */
async function formOrNull(visit: MemberRequest, form_id: string): Promise<HostForm | null> {
  try {
    return (await visit.call("retrieveForm", { params: { form_id } })) as HostForm;
  } catch (error) {
    if (error instanceof ApiError && error.code === "form_not_found") return null;
    throw error;
  }
}

/** The submission, marked as read where a person opened it who may write. A prefetch and another site mark nothing. */
export async function readBy(visit: MemberRequest, submission: HostSubmission): Promise<HostSubmission> {
  if (
    !isUnreadBy(submission, readerOf(visit.member.caller)) ||
    submission.trash ||
    !visit.has("submissions:write") ||
    !isOpenedByPerson(visit.exchange.request)
  )
    return submission;
  const params = { form_id: submission.form_id, submission_id: submission.id };
  try {
    return (await visit.call("updateSubmission", { params, body: { read: true } })) as HostSubmission;
  } catch (error) {
    // A full disk takes no mark, and is no reason to hide what can be read.
    if (error instanceof ApiError && error.code === "unavailable") return submission;
    throw error;
  }
}
