import { Cursor } from "../../lib/wire.ts";
import type { LoggedDelivery, LogPage } from "../../model/deliveries.ts";
import { messageOf } from "../../model/emails.ts";
import type { HostForm } from "../../model/forms.ts";
import { addresseeOf, DeliveryStatus, type JobRecord } from "../../model/jobs.ts";
import type { HostSubmission } from "../../model/submissions.ts";
import type { MemberRequest } from "./visit.ts";

/** A delivery with its button, where this person may have it sent again. */
export interface JobRow extends LoggedDelivery {
  readonly again: boolean;
}

/** The deliveries named in the address. */
export interface LogFilter {
  /** A webhook's id, `emails`, or null for all. */
  readonly webhook: string | null;
  readonly status: DeliveryStatus | null;
}

/** The filter of a log. An unknown status is ignored. */
export function logFilter({ query }: MemberRequest): LogFilter {
  const status = DeliveryStatus.safeParse(query.get("status"));
  return { webhook: query.get("webhook"), status: status.success ? status.data : null };
}

/** A page of a form's deliveries, newest first. Throws `webhook_not_found`, `invalid_parameter`. */
export function logOf(visit: MemberRequest, { id: form_id }: HostForm): Promise<LogPage> {
  const { query } = visit;
  const filter = logFilter(visit);
  const isWebhook = filter.webhook !== null && filter.webhook !== "emails";
  const before = isWebhook ? (query.get("before") ?? undefined) : undefined;
  const cursor = isWebhook ? undefined : Cursor.safeParse(query.get("cursor") ?? undefined).data;
  return visit.call("listDeliveryLog", { params: { form_id }, body: { ...filter, before, cursor } });
}

/** A delivery of the form. Throws `not_found`. */
export const deliveryOf = (visit: MemberRequest, { id: form_id }: HostForm): Promise<JobRow> =>
  visit.call("retrieveLoggedDelivery", { params: { form_id }, body: { job_id: visit.params["job_id"] ?? "" } });

/** The deliveries of a submission, in the order in which they were planned. */
export const deliveriesOf = (
  visit: MemberRequest,
  { id: submission_id, form_id }: Pick<HostSubmission, "id" | "form_id">,
): Promise<JobRow[]> => visit.call("listSubmissionDeliveries", { params: { form_id }, body: { submission_id } });

/** The target of a delivery: an address, the URL of the webhook, or its id if it was deleted. */
export function addressOf(form: HostForm | null, job: JobRecord): string {
  if (job.kind !== "webhook") return addresseeOf(job);
  return form?.webhooks.find(({ id }) => id === job.target)?.url ?? job.target;
}

/** True for mails to visitors if the host keeps fields back: the address, which an answer may repeat, could be from such a field. */
export const isKeptBack = ({ redactor }: MemberRequest, { kind }: JobRecord): boolean =>
  redactor !== null && (kind === "auto_response" || kind === "confirmation");

/** The receiver's reply, as the team may read it: the address of the host's mail server is left out. */
export function answerOf(
  visit: MemberRequest,
  job: JobRecord,
  said: { readonly code: string; readonly message?: string | undefined; readonly http_status?: number } = job,
): string | null {
  if (isKeptBack(visit, job)) return null;
  // The page does not show the request to those from whom values are kept, and its receiver may repeat it.
  if (visit.redactor && job.kind === "webhook" && said.http_status !== undefined) return null;
  // A receiver that said nothing has the status as its message, which stands beside it.
  if (job.kind === "webhook") return said.message === `HTTP ${said.http_status}` ? null : (said.message ?? null);
  return messageOf({ code: said.code, target: job.target, message: said.message });
}
