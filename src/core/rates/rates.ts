/** At most `points` within `seconds`, which begin with the first one. */
export interface Rate {
  /** Requests that a window takes. */
  readonly points: number;
  /** The length of the window, in seconds. */
  readonly seconds: number;
}

/** The rates of the option `rateLimit`, and the name by which its headers call each. */
const ofOption = {
  management: "api",
  inbox: "inbox",
  failedAuth: "failed-credentials",
  perFormAndIp: "form-and-address",
  perIp: "address",
  perForm: "form",
  drafts: "drafts",
  newDrafts: "new-drafts",
  draftNetworks: "draft-networks",
  beacons: "beacons",
  uploads: "uploads",
} as const;

/** Every rate. `perTeam` has the points of each team's own limit. */
export const policies = { ...ofOption, perTeam: "team" } as const;

export type RateName = keyof typeof policies;
/** The name of a rate that the option `rateLimit` sets for everyone. */
export type OptionRateName = keyof typeof ofOption;
export const rateNames = Object.keys(ofOption) as OptionRateName[];

/** State of a counter after a `consume`. */
export interface RateState {
  /** Requests that are left in this window. */
  readonly remainingPoints: number;
  /** Milliseconds until the count restarts. */
  readonly msBeforeNext: number;
}

/** Counts for one rate: any limiter of rate-limiter-flexible, or anything with its `consume`. */
export interface RateCounter {
  /**
   * Adds `points` (0 = only look) to a key's count. Rejects with the same shape when that is more than the rate allows,
   * with an `Error` when the count can't be kept.
   */
  consume(key: string, points?: number): Promise<RateState>;
}

/** Makes the counter of one rate; of `perTeam` one for each number of points that a team has. */
export type RateStore = (rate: Rate & { readonly name: RateName }) => RateCounter;

/** Every rate as it applies, and where it is counted. */
export interface Rates {
  readonly rates: Readonly<Record<OptionRateName, Rate | null>>;
  /** Undefined = in this process's memory. */
  readonly store: RateStore | undefined;
}
