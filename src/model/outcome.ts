import { block, flag, number, oneOf, optional, text } from "../lib/leaves.ts";
import { type Pause, pauseLeaf } from "./pause.ts";

/** Result of a job's run. `retry` follows the schedule; the others are terminal. */
export interface JobOutcome {
  readonly status: "succeeded" | "failed" | "skipped" | "retry";
  readonly code: string;
  readonly message?: string | undefined;
  /** True if `message` is in our own words. Others, of a receiver, a mail server or a driver, stay out of the log. */
  readonly ours?: boolean | undefined;
  readonly http_status?: number | undefined;
  readonly node_error_code?: string | undefined;
  /** `Retry-After` as the receiver sent it. */
  readonly retryAfter?: string | undefined;
  /** A time-out, or a 429 without its own waiting time: the next attempt waits at least 60 s. */
  readonly slow?: boolean | undefined;
  /** The receiver said that it will never accept another request: with 410, or in its service's own way. */
  readonly gone?: boolean | undefined;
  /** The webhook is turned off until its owner has done something. */
  readonly pause?: Pause | undefined;
  /** False if the run made no attempt, so none is counted. Default true. */
  readonly attempted?: boolean | undefined;
  /** Duration of the attempt in ms. */
  readonly ms?: number | undefined;
  /** Not run now: the job waits under another target until this time (epoch ms by the store's clock). No attempt is counted. */
  readonly moved?: { readonly target: string; readonly at: number } | undefined;
}

/** Reads an outcome from the store. */
export const outcomeLeaf = block<JobOutcome>({
  status: oneOf(["succeeded", "failed", "skipped", "retry"] as const),
  code: text(""),
  message: optional(text()),
  ours: optional(flag()),
  http_status: optional(number()),
  node_error_code: optional(text()),
  retryAfter: optional(text()),
  slow: optional(flag()),
  gone: optional(flag()),
  pause: optional(pauseLeaf),
  attempted: optional(flag()),
  ms: optional(number()),
  moved: optional(block<NonNullable<JobOutcome["moved"]>>({ target: text(), at: number() })),
});

/** Puts the job elsewhere in the queue. */
export const movedTo = (target: string, at: number, code: string): JobOutcome => ({
  status: "retry",
  code,
  moved: { target, at },
});

export const skipped = (code: string): JobOutcome => ({ status: "skipped", code });
