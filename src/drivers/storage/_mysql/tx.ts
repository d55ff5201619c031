import type { Ask } from "../_sql/pool.ts";
import { type Joining, joined } from "../_tx/join.ts";
import { type Link, RefusedError } from "../_tx/link.ts";
import type { Transaction } from "../types.ts";
import { runAll } from "./commit.ts";
import { DEADLOCK, errorNumber, explain, NO_SAVEPOINT } from "./errors.ts";
import type { Statement } from "./statement.ts";

/** The mark of the store's tables, and the statement that reads it. */
export interface Marked {
  readonly markSql: string;
  readonly mark: string;
}

/**
 * Recognises a host's transaction. Throws a `TypeError` for a `tx` that is of no use. The result runs statements in it, in the
 * database of the store that `marked` names; a failure takes back only our part.
 */
export function within(
  tx: Transaction,
  timeoutMs: number,
  marked: () => Marked,
): (statements: readonly Statement[]) => Promise<void> {
  const joining: Joining = {
    store: "mysql",
    kind: "MySQL",
    possible:
      "pass a connection of mysql2 in a transaction, or a transaction of Drizzle, Kysely, Knex or TypeORM on it",
    toBegin: "call beginTransaction() on it first, and pass the connection itself, not its pool",
    timeoutMs,
    async check(link) {
      const { mark, markSql } = marked();
      const [found] = await link.read(markSql).catch(() => []);
      if (found?.mark !== mark) throw new RefusedError("is in another database, without the store's tables");
    },
    async savepoint(link, name) {
      await link.run(`SAVEPOINT ${name}`);
      // Outside of a transaction a savepoint ends at once.
      await link.run(`ROLLBACK TO SAVEPOINT ${name}`);
    },
    isEnded: (error) => errorNumber(error) === NO_SAVEPOINT,
    isLost: (error) => errorNumber(error) === DEADLOCK,
    explain(error) {
      if (errorNumber(error) !== DEADLOCK) return explain(error);
      const what = "a deadlock ended your whole transaction, not only the submission; begin it again";
      return new Error(`[form-backend] mysql: ${what}`, { cause: error });
    },
  };
  const inside = joined(tx, joining);
  return (statements) => inside((link) => runAll(asking(link), statements));
}

const asking =
  (link: Link): Ask =>
  async (sql, params = []) =>
    /^SELECT/.test(sql) ? link.read(sql, params) : [{ affectedRows: await link.run(sql, params) }];
