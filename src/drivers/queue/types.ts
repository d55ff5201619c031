/** A kind of work that wakes separately: a name of at most 32 lower-case letters, digits, `_` and `-`. A driver only carries it. */
export type Lane = string;

/**
 * A hint channel between processes; the work itself is always claimed from the store, so this may lose, repeat, reorder or
 * delay calls. Every verb is required; every driver passes `queueSuite` of `form-backend/testing`.
 */
export interface QueueDriver {
  /** The driver's name, for messages. */
  readonly name: string;
  /** Says that something may be due in the lane. Never throws into the caller. */
  wake(lane: Lane): void;
  /** Calls `onWake` for every wake of any process. Returns a function that stops it. */
  listen(onWake: (lane: Lane) => void): Promise<() => Promise<void>>;
  /** Closes everything that the driver opened itself. May be called twice. */
  close(): Promise<void>;
}
