import { z } from "zod";
import { clientRates, kindOf, MUST_BE, type RateClient } from "../rates/rate-stores.ts";
import { type OptionRateName, type Rate, type RateStore, type Rates, rateNames } from "../rates/rates.ts";

/** The rates of the option `rateLimit`. */
export interface RateLimitOptions {
  /** Requests of one credential to the management API. Default 100 in 10 s. */
  management?: Rate | null;
  /** Requests of one person to the inbox. Default 300 in 10 s. */
  inbox?: Rate | null;
  /** Refused credentials from one address. Default 20 in 10 s. */
  failedAuth?: Rate | null;
  /** Posts to one form from one address. Default 30 in 60 s. */
  perFormAndIp?: Rate | null;
  /** Posts from one address to all forms. Default 120 in 60 s. */
  perIp?: Rate | null;
  /** Posts to one form from all addresses. Default none: a flood must not lock out its real visitors. */
  perForm?: Rate | null;
  /** Requests from one address for the drafts of all forms. Default 60 in 60 s. */
  drafts?: Rate | null;
  /** Drafts that one address begins. Default 500 in 86,400 s, which is a day. */
  newDrafts?: Rate | null;
  /** Drafts that one IPv6 network (a /48) begins, since its owner has 65,536 addresses as `newDrafts` counts them. Default 5,000 in 86,400 s. */
  draftNetworks?: Rate | null;
  /** Views and starts of all forms that one address reports. Default 120 in 60 s. */
  beacons?: Rate | null;
  /** Direct uploads that one address begins. Default 60 in 60 s. */
  uploads?: Rate | null;
  /**
   * The store of counts that several processes share: a client of ioredis or node-redis, or a pool of pg, which stay
   * open. By default, and while it is down, each process counts separately. Or a function that returns the counter of a rate, such
   * as a limiter of rate-limiter-flexible: `({ name, points, seconds }) => new RateLimiterMemcache({ … })`.
   */
  store?: RateClient | RateStore;
}

const rate = z.strictObject({ points: z.int().min(1), seconds: z.int().min(1).max(86_400) }).nullable();
const isStore = (value: unknown): boolean => typeof value === "function" || kindOf(value) !== null;

/** The option `rateLimit`; `false` counts as empty here, so its faults are named. */
export const RateLimitSchema = z.preprocess(
  (value) => (value === false ? {} : value),
  z
    .strictObject({
      management: rate,
      inbox: rate,
      failedAuth: rate,
      perFormAndIp: rate,
      perIp: rate,
      perForm: rate,
      drafts: rate,
      newDrafts: rate,
      draftNetworks: rate,
      beacons: rate,
      uploads: rate,
      store: z.custom<RateClient | RateStore>(isStore, MUST_BE),
    } satisfies Record<keyof RateLimitOptions, z.ZodType>)
    .partial(),
);

const defaults: Rates["rates"] = {
  management: { points: 100, seconds: 10 },
  inbox: { points: 300, seconds: 10 },
  failedAuth: { points: 20, seconds: 10 },
  perFormAndIp: { points: 30, seconds: 60 },
  perIp: { points: 120, seconds: 60 },
  perForm: null,
  drafts: { points: 60, seconds: 60 },
  newDrafts: { points: 500, seconds: 86_400 },
  draftNetworks: { points: 5_000, seconds: 86_400 },
  beacons: { points: 120, seconds: 60 },
  uploads: { points: 60, seconds: 60 },
};

/** The option with its defaults filled in. */
export function resolveRates(given: false | RateLimitOptions = {}): Rates {
  const of = (name: OptionRateName): Rate | null => {
    if (given === false) return null;
    const own = given[name];
    return own === undefined ? defaults[name] : own;
  };
  const rates = Object.fromEntries(rateNames.map((name) => [name, of(name)])) as Record<OptionRateName, Rate | null>;
  const store = given === false ? undefined : given.store;
  return { rates, store: typeof store === "object" ? clientRates(store) : store };
}
