import { z } from "zod";
import { clientRates, kindOf, MUST_BE, type RateClient } from "./rate-stores.ts";

/** At most `points` within `seconds`, which begin with the first one. */
export interface Rate {
  readonly points: number;
  readonly seconds: number;
}

/** Every rate, and the name by which its headers call it. */
export const policies = {
  management: "api",
  failedAuth: "failed-credentials",
  perFormAndIp: "form-and-address",
  perIp: "address",
  perForm: "form",
} as const;

export type RateName = keyof typeof policies;
export const rateNames = Object.keys(policies) as RateName[];

/** How a counter stands after a `consume`. */
export interface RateState {
  readonly remainingPoints: number;
  /** Until the count begins anew. */
  readonly msBeforeNext: number;
}

/** Counts for one rate: any limiter of rate-limiter-flexible, or whatever has its `consume`. */
export interface RateCounter {
  /**
   * Adds `points` (0 = only look) to a key's count. Rejects with the same shape when that is more than the rate allows,
   * with an `Error` when the count can't be kept.
   */
  consume(key: string, points?: number): Promise<RateState>;
}

/** Makes the counter of one rate. */
export type RateStore = (rate: Rate & { readonly name: RateName }) => RateCounter;

/** The rates of the option `rateLimit`. */
export interface RateLimitOptions {
  /** Requests of one credential to the management API. Default 100 in 10 s. */
  management?: Rate | null;
  /** Refused credentials from one address. Default 20 in 10 s. */
  failedAuth?: Rate | null;
  /** Posts to one form from one address. Default 30 in 60 s. */
  perFormAndIp?: Rate | null;
  /** Posts from one address to all forms. Default 120 in 60 s. */
  perIp?: Rate | null;
  /** Posts to one form from everywhere. Default none: a flood must not lock its real visitors out. */
  perForm?: Rate | null;
  /**
   * Where counts are kept when several processes share them: a client of ioredis or node-redis, or a pool of pg, which stay
   * open. By default, and while that is down, each process counts for itself. A function makes the counter of each rate, such
   * as a limiter of rate-limiter-flexible: `({ name, points, seconds }) => new RateLimiterMemcache({ … })`.
   */
  store?: RateClient | RateStore;
}

const rate = z.strictObject({ points: z.int().min(1), seconds: z.int().min(1).max(86_400) }).nullable();
const isStore = (value: unknown): boolean => typeof value === "function" || kindOf(value) !== null;

/** The option `rateLimit`; `false` is as good as an empty one here, so that what is wrong in it is named. */
export const RateLimitSchema = z.preprocess(
  (value) => (value === false ? {} : value),
  z
    .strictObject({
      management: rate,
      failedAuth: rate,
      perFormAndIp: rate,
      perIp: rate,
      perForm: rate,
      store: z.custom<RateClient | RateStore>(isStore, MUST_BE),
    } satisfies Record<keyof RateLimitOptions, z.ZodType>)
    .partial(),
);

/** Every rate as it applies, and where it is counted. */
export interface Rates {
  readonly rates: Readonly<Record<RateName, Rate | null>>;
  /** Undefined = in this process's memory. */
  readonly store: RateStore | undefined;
}

const defaults: Rates["rates"] = {
  management: { points: 100, seconds: 10 },
  failedAuth: { points: 20, seconds: 10 },
  perFormAndIp: { points: 30, seconds: 60 },
  perIp: { points: 120, seconds: 60 },
  perForm: null,
};

/** The option with its defaults filled in. */
export function resolveRates(given: false | RateLimitOptions = {}): Rates {
  const of = (name: RateName): Rate | null => {
    if (given === false) return null;
    const own = given[name];
    return own === undefined ? defaults[name] : own;
  };
  const rates = Object.fromEntries(rateNames.map((name) => [name, of(name)])) as Record<RateName, Rate | null>;
  const store = given === false ? undefined : given.store;
  return { rates, store: typeof store === "object" ? clientRates(store) : store };
}
