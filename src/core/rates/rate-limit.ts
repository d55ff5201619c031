import { createHash } from "node:crypto";
import { ApiError } from "../../errors.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { inTime } from "../../lib/in-time.ts";
import { createLru } from "../../lib/lru.ts";
import { traceOf } from "../../lib/message.ts";
import { memoryRates } from "./rate-stores.ts";
import {
  type OptionRateName,
  policies,
  type Rate,
  type RateCounter,
  type RateName,
  type RateState,
  type Rates,
  rateNames,
} from "./rates.ts";

/** A counter that takes longer is treated as down. */
const STORE_MS = 1_000;
/** Time without calls to a counter that failed: waiting for it on every request would be an outage in itself. */
const DOWN_MS = 5_000;
const WARN_EVERY_MS = 60_000;
/** Numbers of points with a counter. A host that sets more of them has the counts of the least used ones begin anew. */
const MAX_TEAM_RATES = 1_000;
/** The least duration of a count in memory under an injected clock, in seconds of the machine. */
const LASTING_SECONDS = 60;

export interface Limits {
  /** Counts one for the key. Returns the rate limit headers. Throws `rate_limited`. */
  take(name: OptionRateName, key: string): Promise<Readonly<Record<string, string>>>;
  /** Counts a post to a team, which takes `points` in a second. Throws `rate_limited`. */
  takePost(team_id: string, points: number): Promise<void>;
  /** Throws `rate_limited` when nothing is left for the key; counts nothing. */
  assertLeft(name: OptionRateName, key: string): Promise<void>;
}

export interface LimitsOptions extends Rates {
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

interface Entry {
  readonly name: RateName;
  readonly rate: Rate;
  /** Counts for all processes; undefined where none was given. */
  readonly shared: RateCounter | undefined;
  readonly own: RateCounter;
}

/**
 * Limits by rate and key. While the store is down, each process counts by itself: a limit protects the service, so it must
 * neither stop it nor be easy to bypass during an outage.
 */
export function createLimits({ rates, store, clock, warn }: LimitsOptions): Limits {
  const counters = new Map<OptionRateName, Entry>();
  /** The counters of teams, by their points. */
  const ofTeams = createLru<Entry>(MAX_TEAM_RATES);
  const own = memoryRates();
  // The packages read the machine's time. Where another clock was injected, that one cuts the windows.
  const real = clock === systemClock;
  const entryOf = (name: RateName, rate: Rate): Entry => ({
    name,
    rate,
    shared: store?.({ name, ...rate }),
    // A count must last as long as its window on the injected clock, which may stand still.
    own: own({ name, ...rate, seconds: real ? rate.seconds : Math.max(rate.seconds, LASTING_SECONDS) }),
  });
  for (const name of rateNames) {
    const rate = rates[name];
    if (rate) counters.set(name, entryOf(name, rate));
  }
  let downUntil = 0;
  let warnedAt = Number.NEGATIVE_INFINITY;

  return {
    async take(name, key) {
      const entry = counters.get(name);
      return entry ? takeOf(entry, key) : {};
    },
    async takePost(team_id, points) {
      const known = ofTeams.get(String(points));
      const entry = known ?? entryOf("perTeam", { points, seconds: 1 });
      if (!known) ofTeams.set(String(points), entry);
      await takeOf(entry, team_id);
    },
    async assertLeft(name, key) {
      const entry = counters.get(name);
      const count = entry && (await consume(entry, key, 0));
      if (count && (count.over || count.remaining <= 0)) throw exceeded(count);
    },
  };

  async function takeOf(entry: Entry, key: string): Promise<Count["headers"]> {
    const count = await consume(entry, key, 1);
    if (count.over) throw exceeded(count);
    return count.headers;
  }

  async function consume(entry: Entry, key: string, points: number): Promise<Count> {
    const { name, rate } = entry;
    const windowMs = rate.seconds * 1_000;
    const counted = real ? shortened(key) : `${shortened(key)}@${Math.floor(clock.now() / windowMs)}`;
    const { state, over } = await counts(entry, counted, points);
    const ms = real ? state.msBeforeNext : windowMs - (clock.now() % windowMs);
    const reset = Math.max(1, Math.ceil(ms / 1_000));
    const remaining = over ? 0 : state.remainingPoints;
    return { over, remaining, reset, headers: headersOf(name, rate, remaining, reset) };
  }

  async function counts({ shared, own }: Entry, key: string, points: number): Promise<Counted> {
    if (shared && clock.now() >= downUntil) {
      try {
        return await counted(() => inTime(STORE_MS, async () => shared.consume(key, points)));
      } catch (reason) {
        downUntil = clock.now() + DOWN_MS;
        if (clock.now() - warnedAt >= WARN_EVERY_MS) {
          warnedAt = clock.now();
          const cause = traceOf(reason);
          warn(`\`rateLimit.store\` failed, so each process counts by itself until it is back: ${cause}`);
        }
      }
    }
    return counted(() => own.consume(key, points));
  }
}

interface Counted {
  readonly state: RateState;
  readonly over: boolean;
}

async function counted(consume: () => Promise<RateState>): Promise<Counted> {
  try {
    return { state: await consume(), over: false };
  } catch (reason) {
    if (isState(reason)) return { state: reason, over: true };
    throw reason;
  }
}

/** Names from a host or an issuer may be long and contain anything; columns and memory have limits. */
const shortened = (key: string): string =>
  /^[\x21-\x7e]{1,128}$/.test(key) ? key : createHash("sha256").update(key).digest("base64url");

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

/** The rejection of a limiter whose limit is reached. It is not an `Error`. */
function isState(reason: unknown): reason is RateState {
  return typeof reason === "object" && reason !== null && typeof Reflect.get(reason, "msBeforeNext") === "number";
}
