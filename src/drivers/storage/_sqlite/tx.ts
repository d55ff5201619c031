import { errorMessage } from "../../../lib/message.ts";
import { quote } from "../_sql/sql.ts";
import { type Joining, joined } from "../_tx/join.ts";
import { type Link, RefusedError } from "../_tx/link.ts";
import { StaleWriteError, type Transaction } from "../types.ts";
import type { Statement } from "./commit.ts";
import type { Connection } from "./connection.ts";
import type { SqliteLike } from "./engine.ts";

/** For a statement of a library whose calls are not synchronous. */
const TIMEOUT_MS = 10_000;

/** The open store. */
export interface Opened {
  readonly connection: Connection;
  readonly database: SqliteLike;
}

/** Writes in a host's transaction. Throws a `TypeError` for a `tx` that is of no use; the result runs the statements in it. */
export function joiner(
  prefix: string,
  opened: () => Opened,
  explain: (error: unknown) => unknown,
): (tx: Transaction) => (statements: readonly Statement[]) => Promise<void> {
  const list = quote(`${prefix}migrations`);
  const mark = `SELECT applied_at FROM ${list} WHERE id = 1`;

  async function check(link: Link): Promise<void> {
    const { connection, database } = opened();
    if (link.connection === database) return;
    const [theirs] = await link.read(mark).catch(() => []);
    if (!theirs) throw new RefusedError("is in a database without the store's tables");
    const [ours] = connection.all(mark);
    // Takes the lock for writing, and changes nothing.
    if (ours?.applied_at === theirs.applied_at) await link.run(`DELETE FROM ${list} WHERE id < 0`);
    if (ours?.applied_at !== theirs.applied_at || !connection.isTaken()) {
      throw new RefusedError(
        "holds no lock that the store can see: it is on another file, or of another copy of SQLite; open the store with a handle of the same library, sqliteStorage({ database })",
      );
    }
  }

  const joining: Joining = {
    store: "sqlite",
    kind: "SQLite",
    possible:
      "pass a handle in a transaction, or a transaction of Drizzle, Kysely, Knex, Prisma, TypeORM, MikroORM or @libsql/client on the store's file",
    toBegin: "run BEGIN IMMEDIATE on it first, since the functions of a synchronous library end before `submit` does",
    timeoutMs: TIMEOUT_MS,
    check,
    async savepoint(link, name) {
      // A savepoint would begin a transaction of its own.
      if (await begins(link)) {
        await link.run("ROLLBACK");
        await link.run("ROLLBACK");
      }
      await link.run(`SAVEPOINT ${name}`);
    },
    isEnded: (error) => /no transaction is active/.test(errorMessage(error)),
    explain,
  };
  return (tx) => {
    const inside = joined(tx, joining);
    return (statements) =>
      inside(async (link) => {
        for (const { sql, params, stale } of statements) {
          const changed = await link.run(sql, params);
          if (changed === 0 && stale) throw new StaleWriteError(stale.collection, stale.id);
        }
      });
  };
}

/** True if a transaction could be begun, so none was open. */
const begins = (link: Link): Promise<boolean> =>
  link.run("BEGIN").then(
    () => true,
    (error: unknown) => {
      if (/within a transaction/.test(errorMessage(error))) return false;
      throw error;
    },
  );
