import { randomBytes } from "node:crypto";
import { durableObjectBlob } from "../blob/durable-object.ts";
import type { DurableObjectStorageLike } from "./_durable-object.ts";
import type { SqliteHost } from "./_sqlite/engine.ts";
import { sqliteStorage } from "./sqlite.ts";
import type { StorageDriver } from "./types.ts";

export type { DurableObjectStorageLike } from "./_durable-object.ts";

/**
 * Stores everything in the SQLite of a Durable Object: the driver `sqliteStorage` over `ctx.storage`. A commit resolves once the
 * object's storage says that it is on disk. Without the option `blob`, files of at most 1 MB are kept in the same store. Throws a
 * TypeError for a class whose storage is not SQLite.
 *
 * @example
 * formBackendObject((env, ctx) => ({ baseUrl: env.BASE_URL, storage: durableObjectStorage(ctx.storage) }));
 */
export function durableObjectStorage(
  storage: DurableObjectStorageLike,
  options: {
    /** The prefix of the tables. Default `fb_`. */
    readonly prefix?: string;
  } = {},
): StorageDriver {
  const prefix = options.prefix ?? "fb_";
  const sql = sqlOf(storage);
  const { within: _, scrub: __, ...store } = sqliteStorage({ database: handleOf(storage, sql), prefix });
  return {
    ...store,
    name: "durable-object",
    beside: {
      blob: () => durableObjectBlob(storage, { prefix }),
      secret: () => ({ path: "the object's storage", ...secretIn(storage, prefix) }),
    },
    async commit(writes) {
      await store.commit(writes);
      // The runtime holds a response back until then too, but a response is not the only way to tell of a commit.
      await storage.sync();
    },
  };
}

function sqlOf(storage: DurableObjectStorageLike): DurableObjectStorageLike["sql"] {
  try {
    storage.sql.exec("SELECT 1").toArray();
    return storage.sql;
  } catch {
    // The runtime's own text names no line of a configuration.
  }
  throw new TypeError(
    "[form-backend] durableObjectStorage: pass `ctx.storage` of a Durable Object with SQLite; in wrangler.jsonc, its class belongs into " +
      "`new_sqlite_classes` of a migration, and not into `new_classes`",
  );
}

/** `BEGIN` is refused there: transactions are the storage's own. */
function handleOf(storage: DurableObjectStorageLike, sql: DurableObjectStorageLike["sql"]): SqliteHost {
  return {
    transactionSync: (work) => storage.transactionSync(work),
    prepare: (text) => ({
      run(...values) {
        sql.exec(text, ...values).toArray();
        // A cursor counts the rows of indexes too.
        return { changes: Number(sql.exec("SELECT changes() AS n").toArray()[0]?.["n"]) };
      },
      get: (...values) => sql.exec(text, ...values).toArray()[0],
      all: (...values) => sql.exec(text, ...values).toArray(),
      *iterate(...values) {
        yield* sql.exec(text, ...values);
      },
    }),
    exec: (text) => void sql.exec(text).toArray(),
    close() {},
  };
}

/** Outside production, the secret is kept beside the data. */
function secretIn(storage: DurableObjectStorageLike, prefix: string): { secret: string; made: boolean } {
  const { sql } = storage;
  const table = `"${prefix}object_secret"`;
  return storage.transactionSync(() => {
    sql.exec(`CREATE TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY, secret TEXT NOT NULL)`).toArray();
    const [known] = sql.exec(`SELECT secret FROM ${table} WHERE id = 1`).toArray();
    if (known) return { secret: String(known["secret"]), made: false };
    const secret = randomBytes(32).toString("hex");
    sql.exec(`INSERT INTO ${table} (id, secret) VALUES (1, ?)`, secret).toArray();
    return { secret, made: true };
  });
}
