import { drawFaults, type Faults } from "./faults.ts";
import type { Random } from "./random.ts";

/** 15 March 2027, 12:00 UTC: far from the end of a month, since clocks are wrong by minutes. */
export const START = 1_805_112_000_000;

/** Parts of life that a seed has or has not, so that most seeds stay small. Shrinking leaves them out one after the other. */
export const partsOfLife = [
  /** A webhook that writes into a spreadsheet. */
  "sheet",
  /** Answers to visitors, mails that come back, and bounces. */
  "talk",
  /** States, labels, notes and the trash. */
  "work",
  /** Visitors change what they sent. */
  "edit",
  /** People are erased. */
  "erasure",
  /** A second team, which is deleted or whose form moves. */
  "teams",
  /** The host changes the team's plan. */
  "plans",
  /** The host replaces the secret. */
  "secrets",
  /** Processes of the version before and of a later one run beside this one's. */
  "versions",
  /** At rest, the other team floods all of it, and one visitor of the first team comes. */
  "flood",
  /** The host puts back a copy of the database and of the files. Without `secrets`: a copy is of no use under another secret. */
  "backups",
] as const;
export type Part = (typeof partsOfLife)[number];

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
  readonly parts: Readonly<Record<Part, boolean>>;
  readonly faults: Faults;
}

/** Members of a setting for shrinking. */
export type Changed = Partial<Omit<Setting, "parts" | "faults">> & {
  readonly parts?: Partial<Setting["parts"]>;
  readonly faults?: Partial<Faults>;
};

const chances: Partial<Record<Part, number>> = { flood: 0.04, backups: 0.1 };

export function drawSetting(random: Random): Setting {
  const setting = {
    processes: random.pick([1, 1, 1, 2, 2, 2, 2, 3, 3, 5]),
    visitors: random.pick([1, 2, 2, 3, 3, 4, 4, 5, 6, 12]),
    acts: random.pick([0, 0, random.between(1, 5)]),
    seconds: random.pick([1, 2, 20, 120]),
    places: random.between(1, 3),
    values: random.between(1, 3),
    month: random.chance(0.3) ? random.between(1, 5) : null,
    faults: drawFaults(random),
  };
  const parts = Object.fromEntries(partsOfLife.map((part) => [part, random.chance(chances[part] ?? 0.15)]));
  return { ...setting, parts: parts as Setting["parts"] };
}
