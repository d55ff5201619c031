import type { Core } from "../../core/core.ts";
import type { Events } from "../../core/events.ts";
import type { Options } from "../../core/options/types.ts";
import type { Attributes, SpanName } from "../../core/telemetry.ts";
import type { Write } from "../../drivers/storage/types.ts";
import type { DeliveryEvent, EmailEvent } from "../../model/job-events.ts";
import type { DeliveryStatus, JobRecord } from "../../model/jobs.ts";
import type { JobOutcome } from "../../model/outcome.ts";
import type { ClaimedJob } from "./reads.ts";

/** A lane of work: its places in one process, and how long a claim is good for. */
export interface LaneRow {
  readonly leaseMs: number;
  /** Runs at once. */
  readonly inFlight: number;
  /** Runs of one target at once. */
  readonly perTarget: number;
  /** The targets that may have more than `perTarget`. */
  readonly shares?: ReadonlyMap<string, number>;
}

/** The lanes of a host, by name. */
export type Lanes = Readonly<Record<string, (options: Options) => LaneRow>>;

/** A kind of job, as the engine sees it. `model/jobs.ts` defines its lane. */
export interface JobKindRow {
  /** Runs one claimed job. A throw is a fault of the service, and the job is tried again. */
  run(core: Core, job: ClaimedJob, signal: AbortSignal): Promise<JobOutcome>;
  /** Begins the codes of faults that are the service's own: `…_INTERNAL`, `…_WORKER_LOST`. */
  readonly family: "ERROR_WEBHOOK" | "ERROR_EMAIL";
  readonly span: { readonly name: SpanName; attributes(job: JobRecord): Attributes };
  /** The event of each status of a finished run. Other statuses have none. */
  readonly events: Partial<Record<DeliveryStatus, AttemptEvent>>;
  /** Left out where a result changes nothing but its own row. Results of one target come together, one batch at a time. */
  readonly settled?: (core: Core, results: readonly Ended[]) => Promise<Consequences>;
}

/** Events about the result of an attempt. */
export type AttemptEvent = {
  [K in keyof Events]: Events[K] extends DeliveryEvent | EmailEvent ? K : never;
}[keyof Events];

/** A job as its run leaves it, before it is stored. */
export interface Ended {
  readonly job: JobRecord;
  readonly outcome: JobOutcome;
}

/** Consequences of results besides their own rows. */
export interface Consequences {
  /** Committed with the results, all or nothing. */
  readonly writes: readonly Write[];
  committed(): void;
  /** The commit failed; `settled` will be called again. */
  failed(): void;
}
