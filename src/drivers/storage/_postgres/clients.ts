import type { PoolClientLike, PoolLike } from "../_sql/pool.ts";
import { has, members, nameOf } from "../_tx/link.ts";

type AnyMethod = (...args: never[]) => unknown;

/** The members used of `sql` of postgres.js. */
export interface PostgresJsLike {
  readonly unsafe: AnyMethod;
  readonly begin: AnyMethod;
  /** `max`: the most connections that it opens. */
  readonly options: { readonly max?: number | undefined };
}

/** The members used of a `PGlite`. */
export interface PgliteLike {
  readonly query: AnyMethod;
  readonly transaction: AnyMethod;
  readonly waitReady: Promise<void>;
}

/** The clients that a store runs on. */
export type PostgresPool = PoolLike | PostgresJsLike | PgliteLike;

const POSSIBLE =
  "pass a pool of pg, Neon or Vercel, `sql` of postgres.js, a PGlite, or an object with connect(), or `connectionString`";

/** A pool in the shape of pg's, by the shape of what was given. Throws a `TypeError` that names that, and what is possible. */
export function poolOf(given: unknown): PoolLike {
  const wrong = wrongly(given);
  if (wrong) throw new TypeError(`[form-backend] postgres: \`pool\` ${wrong}`);
  if (has(given, "unsafe", "begin")) return overPostgresJs(given as unknown as JsSql);
  if (has(given, "query", "exec", "transaction")) return overPglite(given as unknown as Pglite);
  return given as PoolLike;
}

/** The fault of a pool, as the end of a sentence that begins with "`pool`"; undefined for a pool of a known shape. */
function wrongly(given: unknown): string | undefined {
  if (typeof given === "string") return "is a string; pass it as `connectionString`";
  if (has(given, "getConnection")) return "is a pool of MySQL; use mysqlStorage of form-backend/drivers/storage/mysql";
  if (has(given, "$queryRawUnsafe")) return "is Prisma, which lends no connections; pass the pool of its adapter";
  if (members(given).$client !== undefined) return "is Drizzle; pass the pool that it was made with (`db.$client`)";
  if (has(given, "selectFrom", "executeQuery")) return "is Kysely; pass the pool that its dialect has";
  if (has(given, "raw", "transaction") && members(given).client) return "is Knex; pass a pool of pg beside it";
  if (has(given, "getRepository") || has(given, "createQueryRunner")) {
    return "is a `DataSource` of TypeORM; pass the pool of its driver (`dataSource.driver.master`)";
  }
  if (has(given, "unsafe", "savepoint")) return "is a transaction of postgres.js; pass `sql` itself";
  if (has(given, "unsafe", "release")) return "is a reserved connection of postgres.js; pass `sql` itself";
  if (has(given, "unsafe", "query", "transaction") && !has(given, "connect")) {
    return "is Neon over HTTP, which keeps no connection; pass its `new Pool({ connectionString })`";
  }
  if (has(given, "query", "exec", "rollback")) return "is a transaction of PGlite; pass the `PGlite` itself";
  if (has(given, "query", "release")) return "is a client out of a pool; pass the pool itself";
  if (has(given, "connect") && members(given).connectionParameters !== undefined) {
    return "is a single `Client`; pass a `Pool` of the same package";
  }
  const isKnown = has(given, "connect") || has(given, "unsafe", "begin") || has(given, "query", "exec", "transaction");
  return isKnown ? undefined : `is ${nameOf(given)}; ${POSSIBLE}`;
}

type Query = PoolClientLike["query"];

/** A library that lends no connection, and calls a function in a transaction instead. */
interface Library {
  readonly max: number | undefined;
  /** One statement, on any connection. */
  readonly query: Query;
  /** Begins a transaction in a mode such as `READ ONLY`; commits it when `work` is done, and rolls it back if that throws. */
  begin(mode: string, work: (query: Query) => Promise<void>): Promise<unknown>;
}

/** An open transaction, and how it is ended. */
interface Open {
  readonly query: Query;
  end(commit: boolean): Promise<void>;
}

const ROLLED_BACK = new Error("rolled back");
const RELEASED = "[form-backend] postgres: the transaction took too long, and was rolled back";

function overTransactions({ max, query, begin }: Library): PoolLike {
  const opened = (mode: string): Promise<Open> =>
    new Promise((resolve, reject) => {
      const finished = begin(
        mode,
        (inside) =>
          new Promise((commit, rollBack) => {
            resolve({
              query: inside,
              async end(commits) {
                if (commits) commit();
                else rollBack(ROLLED_BACK);
                await finished.catch((error: unknown) => {
                  if (commits) throw error;
                });
              },
            });
          }),
      );
      finished.catch(reject);
    });
  return {
    options: { max },
    async connect(): Promise<PoolClientLike> {
      let open: Open | undefined;
      let isReleased = false;
      const end = async (commits: boolean): Promise<{ rows: unknown[] }> => {
        const ending = open;
        open = undefined;
        await ending?.end(commits);
        return { rows: [] };
      };
      return {
        async query(text, params = []) {
          // The rest of a transaction that took too long: outside of it, each statement would be committed by itself.
          if (isReleased) throw new Error(RELEASED);
          if (text === "COMMIT" || text === "ROLLBACK") return end(text === "COMMIT");
          if (!text.startsWith("BEGIN")) return (open?.query ?? query)(text, params);
          const begun = await opened(text.slice("BEGIN".length).trim());
          if (isReleased) {
            await begun.end(false);
            throw new Error(RELEASED);
          }
          open = begun;
          return { rows: [] };
        },
        release() {
          isReleased = true;
          end(false).catch(() => {});
        },
      };
    },
  };
}

interface JsSql {
  unsafe(text: string, params: unknown[]): Promise<readonly unknown[]>;
  begin(mode: string, work: (tx: JsSql) => Promise<void>): Promise<unknown>;
  readonly options?: { readonly max?: number };
}

/** Not by `reserve()`, which hangs after a connection was cut. */
const overPostgresJs = (sql: JsSql): PoolLike => {
  const queryOf =
    (on: JsSql): Query =>
    async (text, params = []) => ({ rows: [...(await on.unsafe(text, params))] });
  return overTransactions({
    max: sql.options?.max,
    query: queryOf(sql),
    begin: (mode, work) => sql.begin(mode, (tx) => work(queryOf(tx))),
  });
};

interface Pglite {
  query(text: string, params?: unknown[]): Promise<{ rows: unknown[] }>;
  transaction(work: (tx: Pick<Pglite, "query">) => Promise<void>): Promise<void>;
}

/** It has one connection. Whoever has a transaction open there has it alone, so a host's own statements wait for ours. */
const overPglite = (database: Pglite): PoolLike =>
  overTransactions({
    max: 1,
    query: (text, params) => database.query(text, params),
    begin: (mode, work) =>
      database.transaction(async (tx) => {
        if (mode) await tx.query(`SET TRANSACTION ${mode}`);
        await work((text, params) => tx.query(text, params));
      }),
  });
