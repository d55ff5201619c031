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
  wokenWhileClaiming: boolean;
  /** A run ended during the claim. */
  runEndedWhileClaiming: boolean;
  cancelTimer: () => void;
  /** Due time of the timer. */
  wakesAt: number;
  /** Time of the last careful claim. */
  carefulAt: number;
  /** Runs since the start. */
  runsBegun: number;
}

export const newLaneState = (name: string, row: LaneRow, now: () => number): LaneState => ({
  name,
  row,
  queue: createLane(row, now),
  claiming: false,
  wokenWhileClaiming: false,
  runEndedWhileClaiming: false,
  cancelTimer: () => {},
  wakesAt: Infinity,
  carefulAt: 0,
  runsBegun: 0,
});
