import { RateLimiterMemory } from "rate-limiter-flexible";
import { ApiError } from "../errors.ts";
import { type Clock, systemClock } from "./clock.ts";

/** A counter that does not answer in this time is taken to be down. */
const STORE_MS = 1_000;
const WARN_EVERY_MS = 60_000;

/** At most `points` within `seconds`, which begin with the first one. */
export interface Rate {
  readonly points: number;
  readonly seconds: number;
}

/** Every rate, and the name by which its headers call it. */
const policies = {
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

export interface Limits {
  /** Counts one for the key and answers the headers that say how it stands. Throws `rate_limited`. */
  take(name: RateName, key: string): Promise<Readonly<Record<string, string>>>;
  /** Throws `rate_limited` when nothing is left for the key; counts nothing. */
  assertLeft(name: RateName, key: string): Promise<void>;
}

export interface LimitsOptions {
  /** A rate that is missing or null is no limit. */
  readonly rates: Readonly<Partial<Record<RateName, Rate | null>>>;
  /** Default: this process's memory. */
  readonly store?: RateStore | undefined;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

const inMemory: RateStore = ({ name, points, seconds }) =>
  new RateLimiterMemory({ points, duration: seconds, keyPrefix: name });

/** Limits by rate and key. A store that is down limits nothing: a limit protects the service and must not be what stops it. */
export function createLimits({ rates, store = inMemory, clock, warn }: LimitsOptions): Limits {
  const counters = new Map<RateName, { rate: Rate; counter: RateCounter }>();
  for (const name of rateNames) {
    const rate = rates[name];
    if (rate) counters.set(name, { rate, counter: store({ name, ...rate }) });
  }
  let warnedAt = Number.NEGATIVE_INFINITY;

  return {
    async take(name, key) {
      const count = await consume(name, key, 1);
      if (!count) return {};
      if (count.over) throw exceeded(count);
      return count.headers;
    },
    async assertLeft(name, key) {
      const count = await consume(name, key, 0);
      if (count && (count.over || count.remaining <= 0)) throw exceeded(count);
    },
  };

  async function consume(name: RateName, key: string, points: number): Promise<Count | null> {
    const entry = counters.get(name);
    if (!entry) return null;
    const { rate, counter } = entry;
    const windowMs = rate.seconds * 1_000;
    // The package reads the machine's time. Where another clock was injected, that one cuts the windows.
    const real = clock === systemClock;
    const counted = real ? key : `${key}@${Math.floor(clock.now() / windowMs)}`;
    let over = false;
    const state = await inTime(async () => counter.consume(counted, points)).catch((reason: unknown) => {
      over = isState(reason);
      if (isState(reason)) return reason;
      if (clock.now() - warnedAt >= WARN_EVERY_MS) {
        warnedAt = clock.now();
        const cause = reason instanceof Error ? reason.message : String(reason);
        warn(`\`rateLimit.store\` failed, so nothing is limited until it is back: ${cause}`);
      }
      return null;
    });
    if (!state) return null;
    const ms = real ? Math.min(state.msBeforeNext, windowMs) : windowMs - (clock.now() % windowMs);
    const reset = Math.max(1, Math.ceil(ms / 1_000));
    const remaining = over ? 0 : state.remainingPoints;
    return { over, remaining, reset, headers: headersOf(name, rate, remaining, reset) };
  }
}

interface Count {
  readonly over: boolean;
  readonly remaining: number;
  /** Seconds, at least 1. */
  readonly reset: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10. */
const headersOf = (name: RateName, { points, seconds }: Rate, remaining: number, reset: number) => ({
  "ratelimit-policy": `"${policies[name]}";q=${points};w=${seconds}`,
  ratelimit: `"${policies[name]}";r=${Math.max(0, Math.floor(remaining))};t=${reset}`,
});

const exceeded = ({ headers, reset }: Count): ApiError =>
  new ApiError("rate_limited", {
    message: `Too many requests; wait ${reset} second${reset === 1 ? "" : "s"} before the next one.`,
    headers: { ...headers, "retry-after": String(reset) },
  });

/** What a limiter rejects with when it is over, which is no `Error`. */
function isState(reason: unknown): reason is RateState {
  return typeof reason === "object" && reason !== null && typeof Reflect.get(reason, "msBeforeNext") === "number";
}

async function inTime<T>(work: () => Promise<T>): Promise<T> {
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = systemClock.setTimer(() => reject(new Error(`no answer within ${STORE_MS} ms`)), STORE_MS);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    cancel();
  }
}
