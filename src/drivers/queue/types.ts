/** The kinds of work that wake separately. */
export type Lane = "webhook" | "email" | "maintenance";

/**
 * A hint channel between processes; the work itself is always claimed from the store, so this may lose, repeat, reorder or
 * delay calls. Every verb is required; every driver passes `queueSuite` of `form-backend/testing`.
 */
export interface QueueDriver {
  readonly name: string;
  /** Says that something is due in the lane now, or at `at` (epoch ms). Never throws into the caller. */
  wake(lane: Lane, at?: number): void;
  /** Calls `onWake` for every wake of any process; answers a function that stops it. */
  listen(onWake: (lane: Lane) => void): Promise<() => Promise<void>>;
  /** Closes what the driver opened itself; twice is fine. */
  close(): Promise<void>;
}
