import { createPace, type Pace } from "./pace.ts";

/** What a claim may bring. */
export interface Claimable {
  readonly limit: number;
  readonly perTarget: number;
  /** The targets that have no room for so many. */
  readonly exclude: readonly string[];
}

/** The places of one lane in this process: so many runs at once, and so many of each target. */
export interface Places extends Pick<Pace, "perClaim" | "note"> {
  isFull(): boolean;
  /** What there is room for, at most `perTarget` of each target. */
  claimable(perTarget: number): Claimable;
  /** Takes note of what a claim brought, one entry for each job. */
  claimed(asked: Claimable, targets: readonly string[]): void;
  /** What the store holds may have changed. */
  forget(): void;
  /** Whether a claim of so many for each target can find what the last one did not. */
  worthAClaim(perTarget: number): boolean;
  /** Whether some target has places left, but fewer than a claim's worth. */
  hasCrumbs(perTarget: number): boolean;
  /** Takes a place for a run; what it answers gives the place back. */
  take(target: string): () => void;
}

/** Jobs of one claim at most. */
const CLAIM_LIMIT = 64;

export function createPlaces(most: { inFlight: number; perTarget: number }, now: () => number): Places {
  const { shareOf, perClaim, note } = createPace(most.perTarget, now);
  let inFlight = 0;
  const byTarget = new Map<string, number>();
  /** The only targets of which the last claim can have left something; null where it got as many as it asked for. */
  let left: ReadonlySet<string> | null = null;
  const roomOf = (target: string): number => shareOf(target) - (byTarget.get(target) ?? 0);

  return {
    perClaim,
    note,
    isFull: () => inFlight >= most.inFlight,
    claimable: (perTarget) => ({
      limit: Math.min(CLAIM_LIMIT, most.inFlight - inFlight),
      perTarget,
      exclude: [...byTarget.keys()].filter((target) => roomOf(target) < perTarget),
    }),
    claimed({ limit, perTarget, exclude }, targets) {
      const counts = new Map<string, number>();
      for (const target of targets) counts.set(target, (counts.get(target) ?? 0) + 1);
      const cut = [...counts].filter(([, count]) => count >= perTarget).map(([target]) => target);
      left = targets.length < limit ? new Set([...exclude, ...cut]) : null;
    },
    forget() {
      left = null;
    },
    worthAClaim: (perTarget) => left === null || [...left].some((target) => roomOf(target) >= perTarget),
    hasCrumbs: (perTarget) => [...byTarget.keys()].some((target) => roomOf(target) > 0 && roomOf(target) < perTarget),
    take(target) {
      inFlight++;
      byTarget.set(target, (byTarget.get(target) ?? 0) + 1);
      return () => {
        inFlight--;
        const others = (byTarget.get(target) ?? 1) - 1;
        if (others === 0) byTarget.delete(target);
        else byTarget.set(target, others);
      };
    },
  };
}
