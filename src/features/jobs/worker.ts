import type { Core } from "../../core/core.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import type { JobRecord } from "../../model/jobs.ts";
import type { JobOutcome } from "../../model/outcome.ts";
import type { Lanes } from "./kinds.ts";
import type { ClaimedJob } from "./reads.ts";

export interface Worker {
  /** Claims and runs due jobs from now on. */
  start(): Promise<void>;
  /** Runs every job that is due now, once. Returns the number of runs. */
  tick(): Promise<{ ran: number }>;
  /**
   * Stops claiming, returns waiting jobs, gives running ones at most `graceMs` to finish, then aborts them and releases their
   * leases.
   */
  stop(graceMs: number): Promise<void>;
}

/** The worker's handling of claimed jobs; the engine itself knows no kind of job. */
export interface Doing {
  readonly lanes: Lanes;
  /** Runs one claimed job and returns its result. Never rejects. */
  perform(core: Core, row: ClaimedJob, signal: AbortSignal): Promise<JobOutcome>;
  /** Makes the function that stores results; once `ending` is aborted it does not retry. */
  createSettle(core: Core, ending: AbortSignal): (row: Stored<JobRecord>, outcome: JobOutcome) => Promise<void>;
}
