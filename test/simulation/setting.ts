import { drawFaults, type Faults } from "./faults.ts";
import type { Random } from "./random.ts";

/** What a seed's system looks like and how much happens in it. Shrinking makes it smaller, member by member. */
export interface Setting {
  readonly processes: number;
  readonly visitors: number;
  /** Acts of people in the inbox. */
  readonly acts: number;
  /** Seconds over which visitors come and people act. */
  readonly seconds: number;
  /** Places of the form with places. */
  readonly places: number;
  /** Different values of the form with unique values. */
  readonly values: number;
  /** Submissions that the team's plan takes in a month; null for any number. */
  readonly month: number | null;
  readonly faults: Faults;
}

export function drawSetting(random: Random): Setting {
  return {
    processes: random.pick([1, 1, 2, 2, 3, 4, 5]),
    visitors: random.between(4, 24),
    acts: random.between(0, 8),
    seconds: random.pick([2, 20, 120]),
    places: random.between(1, 6),
    values: random.between(1, 4),
    month: random.chance(0.3) ? random.between(1, 20) : null,
    faults: drawFaults(random),
  };
}
