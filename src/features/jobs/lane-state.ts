import type { LaneRow } from "./kinds.ts";
import { createLane, type Lane } from "./lane.ts";
import type { ClaimedJob } from "./reads.ts";

/** A lane, and when it looks for work. */
export interface LaneState {
  readonly name: string;
  readonly row: LaneRow;
  readonly queue: Lane<ClaimedJob>;
  claiming: boolean;
  /** A wake came while it was claiming. */
  again: boolean;
  /** A run ended during the claim. */
  ended: boolean;
  cancelTimer: () => void;
  /** Due time of the timer. */
  wakesAt: number;
  /** Time of the last careful claim. */
  carefulAt: number;
  /** Runs so far. */
  begun: number;
}

export const newLaneState = (name: string, row: LaneRow, now: () => number): LaneState => ({
  name,
  row,
  queue: createLane(row, now),
  claiming: false,
  again: false,
  ended: false,
  cancelTimer: () => {},
  wakesAt: Infinity,
  carefulAt: 0,
  begun: 0,
});
