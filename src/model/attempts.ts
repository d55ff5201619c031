import { block, moment, number, oneOf, optional, text } from "../lib/leaves.ts";

/** Attempts that a delivery remembers: those of its whole schedule, or the latest where it was sent again. */
const MAX_ATTEMPTS = 12;
/** Only the latest text is kept in full, next to the attempts. */
const MAX_MESSAGE = 200;

const attemptStatuses = ["succeeded", "retrying", "failed"] as const;

/** One attempt at a delivery. */
export interface Attempt {
  /** Time when the attempt ended. */
  at: string;
  /** Duration of the attempt in ms. */
  ms: number;
  /** As it left the delivery. */
  status: (typeof attemptStatuses)[number];
  /** The outcome: `OK`, or the code of the failure. */
  code: string;
  /** The receiver's HTTP status; undefined without one. */
  http_status?: number;
  /** The failure in words. */
  message?: string;
}

/** Reads an attempt from the store. */
export const attemptLeaf = block<Attempt>({
  at: moment(),
  ms: number(0),
  status: oneOf(attemptStatuses, "failed"),
  code: text(""),
  http_status: optional(number()),
  message: optional(text()),
});

/** An attempt that has just ended. */
type Ended = Pick<Attempt, "at" | "ms" | "status" | "code"> & {
  readonly http_status: number | undefined;
  readonly message: string | undefined;
};

/** The attempts with one more, and no more than are remembered. */
export const withAttempt = (
  before: readonly Attempt[] = [],
  { http_status, message, ...attempt }: Ended,
): Attempt[] => [
  ...before.slice(1 - MAX_ATTEMPTS),
  {
    ...attempt,
    ...(http_status !== undefined && { http_status }),
    ...(message !== undefined && { message: message.slice(0, MAX_MESSAGE).toWellFormed() }),
  },
];
