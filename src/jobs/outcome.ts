/** How a run of a job ended. `retry` goes by the schedule; the rest is terminal. */
export interface JobOutcome {
  readonly status: "succeeded" | "failed" | "skipped" | "retry";
  readonly code: string;
  readonly message?: string | undefined;
  readonly http_status?: number | undefined;
  readonly node_error_code?: string | undefined;
  /** `Retry-After` as the receiver sent it. */
  readonly retryAfter?: string | undefined;
  /** A time-out or 429: the next attempt waits at least 60 s. */
  readonly slow?: boolean | undefined;
  /** The receiver answered 410: it wants no more, ever. */
  readonly gone?: boolean | undefined;
  /** False where a run ended without an attempt, so that none is counted. Default true. */
  readonly attempted?: boolean | undefined;
  /** Lost leases that the next run begins with. Default 0. */
  readonly lost?: number | undefined;
}

export const skipped = (code: string): JobOutcome => ({ status: "skipped", code });
