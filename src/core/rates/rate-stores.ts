import type { RateLimiterAbstract } from "rate-limiter-flexible";
import { late } from "../../lib/late.ts";
import { createLru } from "../../lib/lru.ts";
import { packages } from "../../lib/packages.ts";
import type { RateStore } from "./rates.ts";

/** A limiter that is made when it first counts, because its package takes a while to load. */
function atFirstUse<M, L extends RateLimiterAbstract>(
  load: () => Promise<M>,
  make: (limiter: M) => L,
): () => Promise<L> {
  return late(() => load().then(make)).load;
}

/** A client of ioredis, as much of it as counting needs. */
export interface IoredisLike {
  readonly status: string;
  defineCommand(name: string, definition: never): unknown;
}

/** A connected client of node-redis (`redis` 4 or newer). */
export interface NodeRedisLike {
  readonly isReady: boolean;
  eval(...args: never[]): Promise<unknown>;
}

/** A pool of `pg`. */
export interface RatePool {
  query(text: string): Promise<unknown>;
  connect(): Promise<unknown>;
}

/** A client or pool that counts for all processes. It belongs to the host and is never closed here. */
export type RateClient = IoredisLike | NodeRedisLike | RatePool;

/** Keys of each rate in one process. An attacker with more addresses can't be stopped by counting addresses. */
const MAX_KEYS = 50_000;

/** Counts in this process, for at most `max` keys of each rate: the one that was unused for longest is forgotten. */
export function memoryRates(max = MAX_KEYS): RateStore {
  return ({ name, points, seconds }) => {
    const limiter = atFirstUse(
      () => packages.memoryRates(),
      ({ default: RateLimiterMemory }) => new RateLimiterMemory({ points, duration: seconds, keyPrefix: name }),
    );
    // The limiter forgets a key when its time is over, but takes as many as come until then.
    const keys = createLru<true>(max, (key) => void limiter().then((counting) => counting.delete(key)));
    return {
      async consume(key, more) {
        keys.set(key, true);
        return (await limiter()).consume(key, more);
      },
    };
  };
}

/** Counts where the client points. Throws a TypeError when it is none that is known. */
export function clientRates(client: RateClient): RateStore {
  const kind = kindOf(client);
  if (kind === null) throw new TypeError(`[form-backend] option \`rateLimit.store\`: ${MUST_BE}`);
  return kind === "pool" ? poolRates(client as RatePool) : redisRates(client, kind === "node-redis");
}

export const MUST_BE =
  "must be a client of ioredis or node-redis, a pool of pg, or a function that makes a counter for a rate";

export function kindOf(client: unknown): "ioredis" | "node-redis" | "pool" | null {
  if (typeof client !== "object" || client === null) return null;
  const has = (name: string): boolean => typeof Reflect.get(client, name) === "function";
  if (has("defineCommand")) return "ioredis";
  if (has("eval") && has("sendCommand")) return "node-redis";
  return has("query") && has("connect") ? "pool" : null;
}

function redisRates(client: RateClient, useRedisPackage: boolean): RateStore {
  return ({ name, points, seconds }) => {
    const limiter = atFirstUse(
      () => packages.redisRates(),
      ({ default: RateLimiterRedis }) =>
        new RateLimiterRedis({
          storeClient: client,
          useRedisPackage,
          keyPrefix: `form-backend:rate:${name}`,
          points,
          duration: seconds,
          // A client that is not connected would keep the request until it is.
          rejectIfRedisNotReady: true,
          // A key over its limit is refused from memory until the window ends, so that a flood does not reach the store.
          inMemoryBlockOnConsumed: points,
        }),
    );
    return { consume: async (key, more) => (await limiter()).consume(key, more) };
  };
}

const SCHEMA = "form_backend";
const TABLE = "rate_counts";

function poolRates(pool: RatePool): RateStore {
  let opening: Promise<void> | undefined;
  const opened = (): Promise<void> =>
    (opening ??= createTable(pool).catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));
  let clears = true;
  return ({ name, points, seconds }) => {
    // All rates share one table, so one of them removes expired counts for all.
    const clearExpiredByTimeout = clears;
    clears = false;
    const limiter = atFirstUse(
      () => packages.poolRates(),
      ({ default: RateLimiterPostgres }) =>
        new RateLimiterPostgres({
          storeClient: pool,
          storeType: "pool",
          schemaName: SCHEMA,
          tableName: TABLE,
          tableCreated: true,
          clearExpiredByTimeout,
          keyPrefix: name,
          points,
          duration: seconds,
          inMemoryBlockOnConsumed: points,
        }),
    );
    return {
      async consume(key, more) {
        await opened();
        return (await limiter()).consume(key, more);
      },
    };
  };
}

/**
 * As the limiter would, but without a log: counts need not outlive a crash of the server. A role that may not create anything
 * works where the table is there.
 */
async function createTable(pool: RatePool): Promise<void> {
  const result = await pool.query(
    `select to_regnamespace('${SCHEMA}') is not null as schema, to_regclass('${SCHEMA}.${TABLE}') is not null as "table"`,
  );
  const [there] = (result as { rows: { schema: boolean; table: boolean }[] }).rows;
  if (there?.table) return;
  const statements = [
    ...(there?.schema ? [] : [`create schema if not exists ${SCHEMA}`]),
    `create unlogged table if not exists ${SCHEMA}.${TABLE} (key varchar(255) primary key, points integer not null default 0, expire bigint)`,
  ];
  for (const statement of statements) {
    await pool.query(statement).catch((error: { code?: string }) => {
      // "If not exists" is no lock: of two processes that begin together one may still hear that it exists.
      if (["23505", "42710", "42P06", "42P07"].includes(error.code ?? "")) return;
      if (error.code !== "42501") throw error;
      throw new Error(`[form-backend] permission denied: the role of the pool may not run: ${statement}`, {
        cause: error,
      });
    });
  }
}
