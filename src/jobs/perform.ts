import type { Core } from "../core.ts";
import type { Stored } from "../drivers/storage/types.ts";
import { sendMail } from "../mail/send.ts";
import { deliverWebhook } from "../webhooks/deliver.ts";
import type { JobOutcome } from "./outcome.ts";
import type { JobRecord } from "./schema.ts";

/** After so many leases that ran out, a job goes by the schedule: what kills the process must not loop. */
const MAX_LOST = 3;

/** Runs one claimed job and answers how it ended. Never rejects. */
export async function perform(core: Core, row: Stored<JobRecord>, signal: AbortSignal): Promise<JobOutcome> {
  const { id, value: job } = row;
  const code = job.kind === "webhook" ? "ERROR_WEBHOOK_INTERNAL" : "ERROR_EMAIL_INTERNAL";
  if (job.lost >= MAX_LOST) {
    return {
      status: "retry",
      code,
      message: `The worker was lost ${job.lost} times while it ran this delivery.`,
      // Lost once more, it waits for the next step of the schedule.
      lost: MAX_LOST - 1,
    };
  }
  try {
    return await observed(core, row, () =>
      job.kind === "webhook" ? deliverWebhook(core, id, job, signal) : sendMail(core, id, job, signal),
    );
  } catch (error) {
    core.options.logger.error(`job ${id} (${job.kind}): ${describe(error)}`);
    return {
      status: "retry",
      code,
      message: "The delivery could not be prepared; the log of the service says why.",
    };
  }
}

function observed(
  core: Core,
  { id, value }: Stored<JobRecord>,
  attempt: () => Promise<JobOutcome>,
): Promise<JobOutcome> {
  const { kind, form_id, target } = value;
  const about = { form_id, delivery_id: id, attempt: value.attempt + 1 };
  return core.telemetry.span(
    kind === "webhook" ? "form_backend.webhook" : "form_backend.mail",
    kind === "webhook" ? { ...about, webhook_id: target } : { ...about, kind },
    attempt,
    ({ status, code, http_status, node_error_code }) => ({
      attributes: {
        code,
        ...(http_status !== undefined && { http_status }),
        ...(node_error_code !== undefined && { node_error_code }),
      },
      failed: status === "retry" || status === "failed",
    }),
  );
}

/** An error for the log. */
export const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
