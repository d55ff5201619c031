import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { deliveryRows } from "../../features/deliveries/service.ts";
import { jobsOf } from "../../features/jobs/of-submission.ts";
import { jobsRun, pageOfJobs } from "../../features/jobs/page.ts";
import { parseInput } from "../../lib/input.ts";
import { Cursor } from "../../lib/wire.ts";
import { emailKindOf, messageOf } from "../../model/emails.ts";
import type { HostForm } from "../../model/forms.ts";
import { addresseeOf, DeliveryStatus, type JobRecord } from "../../model/jobs.ts";
import { DeliveryListQuery } from "../../model/webhooks.ts";
import { queryOf } from "../api/query.ts";
import type { MemberRequest } from "./visit.ts";

/** A delivery at a page. */
export type JobRow = Row<"jobs">;

/** Content of a page of the log. */
export interface LogPage {
  readonly rows: readonly JobRow[];
  /** Parameters of the next page; null at the end. */
  readonly older: Readonly<Record<string, string>> | null;
}

const PAGE = 50;

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

/** Mails caused by submissions, and webhooks; mails in the service's own name are not shown to the team. */
export const isShown = (job: JobRecord): boolean => job.kind === "webhook" || emailKindOf(job) !== null;

/** The row of a page's form. Throws `form_not_found`. */
export async function formRow({ core }: MemberRequest, { id }: HostForm): Promise<Row<"forms">> {
  const row = await core.rows.get("forms", id);
  if (!row) throw new ApiError("form_not_found");
  return row;
}

/** A page of a form's deliveries, newest first. Throws `webhook_not_found`, `invalid_parameter`. */
export async function logOf(visit: MemberRequest, form: HostForm): Promise<LogPage> {
  const { core, query } = visit;
  const { webhook, status } = logFilter(visit);
  if (webhook !== null && webhook !== "emails") {
    const asked = new URLSearchParams({ limit: String(PAGE), ...(status && { status }) });
    const before = query.get("before");
    if (before !== null) asked.set("before", before);
    const input = parseInput(DeliveryListQuery, queryOf(asked, DeliveryListQuery));
    const { rows, has_more } = await deliveryRows(core, await formRow(visit, form), webhook, input);
    const last = rows.at(-1)?.value.occurred_at;
    return { rows, older: has_more && last ? { before: last } : null };
  }
  const { data, next_cursor } = await pageOfJobs(core, {
    run: jobsRun(form.id, undefined),
    scope: JSON.stringify(["inbox", form.id, webhook, status]),
    limit: PAGE,
    cursor: Cursor.safeParse(query.get("cursor") ?? undefined).data,
    shown: (row) =>
      isShown(row.value) &&
      (webhook === null || row.value.kind !== "webhook") &&
      (status === null || row.value.status === status)
        ? row
        : null,
  });
  return { rows: data, older: next_cursor === null ? null : { cursor: next_cursor } };
}

/** A delivery of the form. Throws `not_found`. */
export async function deliveryOf({ core, params }: MemberRequest, { id }: HostForm): Promise<JobRow> {
  const row = await core.rows.get("jobs", params["job_id"] ?? "");
  if (row?.value.form_id !== id || !isShown(row.value)) throw new ApiError("not_found");
  return row;
}

/** The deliveries of a submission, in the order in which they were planned. */
export async function deliveriesOf({ core }: MemberRequest, submission_id: string): Promise<JobRow[]> {
  return (await jobsOf(core, submission_id)).filter(({ value }) => isShown(value));
}

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
