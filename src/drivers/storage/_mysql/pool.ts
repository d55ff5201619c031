import type { PoolClientLike, PoolLike } from "../_sql/pool.ts";

/** The members used of a connection: `PoolConnection` of mysql2/promise. */
export interface MysqlConnectionLike {
  query(options: { sql: string; values?: unknown[] }): Promise<unknown>;
  release(): void;
  destroy(): void;
}

/** The members used of a pool: `Pool` of mysql2 or mysql2/promise. */
export interface MysqlPoolLike {
  // biome-ignore lint/complexity/noBannedTypes: mysql2 declares a callback, mysql2/promise a promise
  readonly getConnection: Function;
}

/** A pool that we made and have to close. */
export interface OwnPool extends MysqlPoolLike {
  end(): Promise<void>;
}

interface PromisePool {
  getConnection(): Promise<MysqlConnectionLike>;
}

/** A pool or connection as mysql2/promise has it. */
export const promised = <T>(given: unknown): T => {
  const { promise } = given as { promise?: unknown };
  return typeof promise === "function" ? (promise.call(given) as T) : (given as T);
};

/** The rows of a SELECT; of other statements one row, with `affectedRows`. A host's settings of its pool change nothing in them. */
export async function ask(
  connection: Pick<MysqlConnectionLike, "query">,
  sql: string,
  values: readonly unknown[] = [],
): Promise<unknown[]> {
  const options = { sql, values: [...values], rowsAsArray: false, nestTables: false, namedPlaceholders: false };
  const answer = await connection.query({ ...options, typeCast: true } as never);
  const [rows] = answer as [unknown];
  return Array.isArray(rows) ? rows : [rows];
}

const USUAL_CONNECTIONS = 10;

/** A pool of mysql2 in the shape of the shared one. `check` looks at each connection when it is first used. */
export function poolOf(given: MysqlPoolLike, check: (connection: MysqlConnectionLike) => Promise<void>): PoolLike {
  const pool = promised<PromisePool>(given);
  const known = new WeakSet<object>();
  const inner = (given as { pool?: unknown }).pool ?? given;
  const { connectionLimit } = (inner as { config?: { connectionLimit?: number } }).config ?? {};
  return {
    options: { max: connectionLimit ?? USUAL_CONNECTIONS },
    async connect(): Promise<PoolClientLike> {
      const connection = await pool.getConnection();
      const raw = (connection as { connection?: object }).connection ?? connection;
      if (!known.has(raw)) {
        try {
          await check(connection);
        } catch (error) {
          connection.release();
          throw error;
        }
        known.add(raw);
      }
      return {
        query: async (sql, values = []) => ({ rows: await ask(connection, sql, values) }),
        release: (destroy) => (destroy ? connection.destroy() : connection.release()),
      };
    },
  };
}

async function driver() {
  // Not `.catch()`: in a `try`, bundlers such as Turbopack take the package for optional.
  try {
    return (await import("mysql2/promise")).default;
  } catch (cause) {
    throw new Error("[form-backend] mysql: run `npm install mysql2`, or pass a `pool`", { cause });
  }
}

/** A pool of `mysql2`, which is loaded only here. Throws an error that tells what to install. */
export async function openPool(uri: string, timeoutMs: number): Promise<OwnPool> {
  const mysql = await driver();
  const pool = mysql.createPool({
    uri,
    connectionLimit: USUAL_CONNECTIONS,
    connectTimeout: timeoutMs,
    enableKeepAlive: true,
    charset: "utf8mb4",
  });
  // A connection that was cut can't say goodbye, and is gone all the same.
  return { getConnection: () => pool.getConnection(), end: () => pool.end().catch(() => {}) };
}
