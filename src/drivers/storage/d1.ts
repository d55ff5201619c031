import { errorMessage } from "../../lib/message.ts";
import type { SqlRow, SqlValue } from "./_sql/sql.ts";
import { remoteSqlite } from "./_sqlite/remote.ts";
import { has, nameOf } from "./_tx/link.ts";
import { type StorageDriver, StoreDownError } from "./types.ts";

/** The members used of a prepared statement of D1. */
export interface D1StatementLike {
  bind(...values: SqlValue[]): D1StatementLike;
  all(): Promise<{ results: unknown[] }>;
}

/** The members used of a binding of D1. */
export interface D1Like {
  prepare(sql: string): D1StatementLike;
  batch(statements: D1StatementLike[]): Promise<unknown>;
}

/** Options of `d1Storage`. */
export interface D1StorageOptions {
  /** The prefix of the backend's tables and indexes: letters, digits and `_`. Default `fb_`. */
  readonly prefix?: string;
  /** Creates and upgrades the tables in `open()`. With `false` your own migrations do, and `open()` checks them. Default true. */
  readonly migrate?: boolean;
}

/**
 * Stores everything in Cloudflare D1. Create the backend in a Durable Object, and pass it the binding: requests of a Worker without
 * one may not wait for each other, and such a Worker is refused with a sentence. A commit is one batch, which is a transaction.
 * Throws a `TypeError` for what is no binding of D1.
 *
 * @example
 * createFormBackend({ baseUrl: env.BASE_URL, secret: env.SECRET, storage: d1Storage(env.DB) });
 */
export function d1Storage(binding: D1Like, options: D1StorageOptions = {}): StorageDriver {
  if (!has(binding, "prepare", "batch") || has(binding, "pragma") || has(binding, "close")) {
    throw new TypeError(
      `[form-backend] d1: the binding is ${nameOf(binding)}; pass that of a D1 database, such as env.DB, named in wrangler's \`d1_databases\``,
    );
  }
  const prepared = ({ sql, params }: { sql: string; params: readonly SqlValue[] }) =>
    binding.prepare(sql).bind(...params);
  // The runtime lets only the request use it that made it, and in a Durable Object all requests together.
  let probe: AbortController | undefined;
  const assertHere = (): void => {
    probe ??= new AbortController();
    probe.abort();
  };
  return remoteSqlite(
    {
      name: "d1",
      async all(statement) {
        assertHere();
        return (await prepared(statement).all()).results as SqlRow[];
      },
      async batch(statements) {
        assertHere();
        await binding.batch(statements.map(prepared));
      },
      explain,
    },
    options,
  );
}

/** The runtime's own words where the work of one request is awaited by another. */
const STATELESS = /on behalf of a different request|within global scope|code had hung/;
const DOWN =
  /D1_ERROR: (internal|Network|storage|D1 DB)|overloaded|reset because|object to be reset|timed? ?out|connection lost/i;

function explain(error: unknown): unknown {
  const text = errorMessage(error);
  if (STATELESS.test(text)) {
    const todo =
      "D1 can't be used from a stateless Worker, whose requests may not wait for each other; create the backend in a Durable Object";
    return new StoreDownError(`[form-backend] d1: ${todo} (${text})`, { cause: error });
  }
  return DOWN.test(text) ? new StoreDownError(`[form-backend] d1: ${text}`, { cause: error }) : error;
}
