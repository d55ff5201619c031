/** At most `points` within `seconds`, which begin with the first one. */
export interface Rate {
  /** Requests that a window takes. */
  readonly points: number;
  /** The length of the window, in seconds. */
  readonly seconds: number;
}

/** Every rate, and the name by which its headers call it. */
export const policies = {
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
} as const;

export type RateName = keyof typeof policies;
export const rateNames = Object.keys(policies) as RateName[];

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

/** Makes the counter of one rate. */
export type RateStore = (rate: Rate & { readonly name: RateName }) => RateCounter;

/** Every rate as it applies, and where it is counted. */
export interface Rates {
  readonly rates: Readonly<Record<RateName, Rate | null>>;
  /** Undefined = in this process's memory. */
  readonly store: RateStore | undefined;
}
