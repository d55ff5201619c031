import type { Core } from "../../core/core.ts";
import { traceOf } from "../../lib/message.ts";
import { SealError } from "../../lib/seal.ts";
import { protects } from "../../model/field-policy.ts";
import type { JobOutcome } from "../../model/outcome.ts";
import { isSpent } from "../jobs/last-chance.ts";
import type { ClaimedJob } from "../jobs/reads.ts";
import { facing } from "../teams/face.ts";
import { kinds } from "./kinds.ts";

/** Runs one claimed job by the row of its kind and returns the result. Never rejects. */
export async function perform(core: Core, row: ClaimedJob, signal: AbortSignal): Promise<JobOutcome> {
  const { id, value: job } = row;
  if (job.result) return discreet(row, job.result);
  const { family, run, span } = kinds[job.kind];
  if (isSpent(job)) {
    return {
      status: "failed",
      code: `${family}_WORKER_LOST`,
      message: `The process ended ${job.lost} times while it ran this delivery, so it is not retried automatically.`,
      ours: true,
    };
  }
  const started = core.clock.now();
  // A clock that is put back makes no attempt shorter than nothing.
  const took = (): number => Math.max(0, core.clock.now() - started);
  try {
    // Deliveries to the host belong to no team.
    const face = job.team_id === "" ? core : await facing(core, job.team_id);
    const outcome = await core.telemetry.span(
      span.name,
      {
        form_id: job.form_id,
        team_id: job.team_id,
        delivery_id: id,
        attempt: job.attempt + 1,
        ...span.attributes(job),
      },
      () => run(face, row, signal),
      endOf,
      job.trace,
    );
    const told = hasWords(outcome) ? await discreet(row, outcome) : outcome;
    return { ...told, ms: took() };
  } catch (error) {
    const why = error instanceof SealError ? error.message : traceOf(error);
    const { kind, form_id, team_id, submission_id } = job;
    core.options.logger.error(`job ${id} (${kind}): ${why}`, {
      delivery_id: id,
      kind,
      form_id,
      team_id,
      submission_id,
    });
    return {
      status: "retry",
      code: `${family}_INTERNAL`,
      message: "The delivery could not be prepared; see the log of the service.",
      ours: true,
      ms: took(),
    };
  }
}

/**
 * The outcome without words of others where they could be a copy of what is to be kept nowhere, or only encrypted: a receiver
 * may repeat the post. Never rejects: where the form can't be read, the outcome counts all the same, and the words go.
 */
async function discreet({ value: job, read }: ClaimedJob, outcome: JobOutcome): Promise<JobOutcome> {
  if (!hasWords(outcome)) return outcome;
  const form = job.form_id === "" ? null : await read("forms", job.form_id).catch(() => null);
  const hasContent = job.submission_id !== "" || job.kind === "summary" || job.kind === "digest";
  if (!hasContent || (form && !job.transient && !protects(form.value.settings.fields))) return outcome;
  const { message: _, ...rest } = outcome;
  return rest;
}

/** True for an outcome with words that are not ours. */
const hasWords = ({ message, ours }: JobOutcome): boolean => message !== undefined && !ours;

const endOf = ({ status, code, http_status, node_error_code, moved }: JobOutcome) => ({
  attributes: {
    code,
    ...(http_status !== undefined && { http_status }),
    ...(node_error_code !== undefined && { node_error_code }),
  },
  failed: !moved && (status === "retry" || status === "failed"),
});
