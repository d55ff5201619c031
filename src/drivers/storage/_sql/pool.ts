import { systemClock } from "../../../lib/clock.ts";
import { createGate } from "../../../lib/gate.ts";
import { StoreDownError } from "../types.ts";
import type { SqlRow, SqlValue } from "./sql.ts";

/** The members used of a client from a pool: `PoolClient` of pg has them all. */
export interface PoolClientLike {
  query(text: string, params?: unknown[]): Promise<{ rows: unknown[] }>;
  /** `true` = the connection is of no more use, and is to be closed. */
  release(destroy?: boolean): void;
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** The members used of a pool: `Pool` of pg, or a small object over another library. */
export interface PoolLike {
  connect(): Promise<PoolClientLike>;
  on?(event: "connect", listener: (client: PoolClientLike) => void): unknown;
  /** `max`: the most connections that it opens; 10 is assumed if it does not say. */
  readonly options?: { readonly max?: number | undefined };
}

/** pg's default if a pool sets no other. */
const USUAL_CLIENTS = 10;
const MAX_READERS = 8;

/** The number of a pool's connections for long reads: less than half, so commits and workers always find one. */
export function readersOf(pool?: PoolLike): number {
  const max = pool?.options?.max ?? USUAL_CLIENTS;
  return Math.max(1, Math.min(MAX_READERS, Math.ceil(max / 2) - 1));
}

export type Ask = (sql: string, params?: readonly SqlValue[]) => Promise<SqlRow[]>;

/** Runs statements over a pool, each with a deadline, so a half-open connection never blocks a caller forever. */
export interface Connections {
  /** One statement, which is its own transaction. `again`: it only reads, so it goes once more where the connection was cut. */
  ask(sql: string, params: readonly SqlValue[], options?: { again?: boolean }): Promise<SqlRow[]>;
  /** Starts with the statements `begin`, commits the work of `work`; if it throws, everything is rolled back. */
  transaction<T>(begin: readonly string[], work: (ask: Ask) => Promise<T>, ms?: number): Promise<T>;
  /** The same for reads that may take long: at most `readersOf(pool)` of them have a connection at the same time, others wait. */
  scan<T>(begin: readonly string[], work: (ask: Ask) => Promise<T>, ms: number): Promise<T>;
}

/** After a time-out, older connections must answer a ping before use, for this long. */
const SUSPECT_MS = 300_000;
const PING_MS = 1_000;

const ignore = (): void => {};

const guarded = new WeakSet<PoolLike | PoolClientLike>();

/** A client that fails while none of our statements runs has no other listener, and would end the process. */
function guard(client: PoolClientLike): void {
  if (guarded.has(client)) return;
  guarded.add(client);
  client.on?.("error", ignore);
}

/** Resolves with `undefined` after `ms`. */
async function raced<T>(ms: number, work: Promise<T>): Promise<{ readonly value: T } | undefined> {
  let cancel = ignore;
  const late = new Promise<undefined>((resolve) => {
    cancel = systemClock.setTimer(() => resolve(undefined), Math.max(0, ms));
  });
  try {
    return await Promise.race([work.then((value) => ({ value })), late]);
  } finally {
    cancel();
  }
}

/** The store whose connections these are. */
export interface Server {
  /** Its name, for messages. */
  readonly store: string;
  readonly timeoutMs: number;
  /** True if the connection is of no more use. */
  isCut(error: unknown): boolean;
  /** The same failure with a way out, where the cause is known. */
  explain(error: unknown): unknown;
  /** Told how long each statement waited for its connection, in seconds. */
  waited?(seconds: number): void;
}

export function createConnections(pool: PoolLike, { store, timeoutMs, isCut, explain, waited }: Server): Connections {
  if (!guarded.has(pool)) {
    guarded.add(pool);
    // The failure may come with the very bytes that make the client ready, before anyone else gets it.
    pool.on?.("connect", guard);
  }
  let suspectUntil = 0;
  let trusted = new WeakSet<PoolClientLike>();

  const silent = (ms: number): StoreDownError => {
    suspectUntil = performance.now() + SUSPECT_MS;
    trusted = new WeakSet();
    return new StoreDownError(`[form-backend] ${store}: the server did not answer within ${ms} ms`);
  };

  async function connect(until: number): Promise<PoolClientLike> {
    for (;;) {
      const connecting = pool.connect();
      const found = await raced(until - performance.now(), connecting);
      if (!found) {
        connecting.then((client) => client.release(), ignore);
        throw new StoreDownError(
          `[form-backend] ${store}: no connection within ${timeoutMs} ms: the server does not answer, or all of the pool are taken (raise its \`max\`)`,
          { nothingWritten: true },
        );
      }
      const client = found.value;
      guard(client);
      if (performance.now() >= suspectUntil || trusted.has(client)) return client;
      const wait = Math.min(PING_MS, until - performance.now());
      const answer = await raced(wait, client.query("SELECT 1")).catch(ignore);
      if (answer) {
        trusted.add(client);
        return client;
      }
      client.release(true);
    }
  }

  async function use<T>(ms: number, until: number, work: (client: PoolClientLike) => Promise<T>): Promise<T> {
    const asked = performance.now();
    const client = await connect(until).finally(() => waited?.((performance.now() - asked) / 1_000));
    let destroy = false;
    try {
      const found = await raced(until - performance.now(), work(client));
      if (found) return found.value;
      destroy = true;
      throw silent(ms);
    } catch (error) {
      destroy ||= isCut(error);
      throw error;
    } finally {
      client.release(destroy);
    }
  }

  const rowsOf = async (client: PoolClientLike, sql: string, params: readonly SqlValue[]): Promise<SqlRow[]> =>
    (await client.query(sql, params as SqlValue[])).rows as SqlRow[];

  const scans = createGate(readersOf(pool));
  const connections: Connections = {
    async ask(sql, params, { again = false } = {}) {
      const until = performance.now() + timeoutMs;
      for (let retried = !again; ; retried = true) {
        try {
          return await use(timeoutMs, until, (client) => rowsOf(client, sql, params));
        } catch (error) {
          if (retried || error instanceof StoreDownError || !isCut(error)) throw explain(error);
        }
      }
    },
    async transaction(begin, work, ms = timeoutMs) {
      try {
        return await use(ms, performance.now() + ms, async (client) => {
          for (const sql of begin) await client.query(sql);
          try {
            const result = await work((sql, params = []) => rowsOf(client, sql, params));
            await client.query("COMMIT");
            return result;
          } catch (error) {
            if (!isCut(error)) await client.query("ROLLBACK");
            throw error;
          }
        });
      } catch (error) {
        throw explain(error);
      }
    },
    async scan(begin, work, ms) {
      const entering = scans.enter("");
      const entered = await raced(ms, entering);
      if (!entered) {
        void entering.then((leave) => leave?.());
        throw new StoreDownError(`[form-backend] ${store}: all connections for long reads were taken for ${ms} ms`);
      }
      try {
        return await connections.transaction(begin, work, ms);
      } finally {
        entered.value?.();
      }
    },
  };
  return connections;
}
