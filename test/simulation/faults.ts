import type { Random } from "./random.ts";

/** What goes wrong in one seed, and how often. */
export interface Faults {
  /** False at rest: from then on nothing fails any more. */
  on: boolean;
  /** Probability that a call to the store takes seconds. */
  slow: number;
  /** … that the store refuses a call. */
  refused: number;
  /** … that the store's answer is lost after it did what was asked. */
  lost: number;
  /** … that a commit is lost with its answer, so that nobody knows that it was not made. */
  vanished: number;
  /** … that a commit is made seconds after its caller was told that the answer is lost. */
  late: number;
  /** … that a mail server or receiver fails for now. */
  failing: number;
  /** … that its answer is lost after it took what was sent. */
  unheard: number;
  /** … that a hint between processes is lost. */
  hints: number;
  /** Processes that end without a word, and ends in order with a new start. */
  crashes: number;
  restarts: number;
  /** Times at which the store is down for a while. */
  outages: number;
  /** Times at which a process stands still, as one does whose machine is paused. It goes on as if nothing had been. */
  freezes: number;
  /** Most seconds by which a clock is wrong. */
  drift: number;
  /** Times at which a clock is set, that of a process or the store's. */
  jumps: number;
  /** Simultaneous commits of the store. */
  writers: number;
}

/** The kinds of faults, which shrinking leaves out one after the other. */
export const kindsOfFaults = [
  "slow",
  "refused",
  "lost",
  "vanished",
  "late",
  "failing",
  "unheard",
  "hints",
  "crashes",
  "restarts",
  "outages",
  "freezes",
  "drift",
  "jumps",
] as const satisfies readonly (keyof Faults)[];

/** The faults of a seed. Most seeds have only some kinds, or the rare meeting of two would drown in noise. */
export function drawFaults(random: Random): Faults {
  const some = (value: number): number => (random.chance(0.4) ? value : 0);
  return {
    on: true,
    slow: some(0.03),
    refused: some(0.02),
    lost: some(0.03),
    vanished: some(0.02),
    late: some(0.02),
    failing: some(0.2),
    unheard: some(0.05),
    hints: some(0.3),
    crashes: some(random.between(1, 3)),
    restarts: some(random.between(1, 2)),
    outages: some(random.between(1, 2)),
    freezes: some(random.between(1, 2)),
    drift: some(25),
    jumps: some(random.between(1, 2)),
    writers: random.pick([1, 4, 16]),
  };
}
