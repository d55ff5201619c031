import { inTime } from "../../../lib/in-time.ts";
import type { Ask } from "../_sql/pool.ts";
import type { SqlRow } from "../_sql/sql.ts";
import type { Transaction } from "../types.ts";
import { runAll, type Statement } from "./commit.ts";
import { DEADLOCK, errorNumber, explain, NO_SAVEPOINT } from "./errors.ts";
import { ask, type MysqlConnectionLike, promised } from "./pool.ts";

/** The turns on each connection: savepoints of two commits at once would end each other's. */
const turns = new WeakMap<object, Promise<unknown>>();
let names = 0;

/** In the host's transaction, which the host commits; a failure rolls back only our part. */
export function commitIn(
  tx: Transaction,
  statements: readonly Statement[],
  { timeoutMs, markSql, mark }: { timeoutMs: number; markSql: string; mark: string },
): Promise<void> {
  const connection = connectionOf(tx);
  const key = (connection as { connection?: object }).connection ?? connection;
  const within: Ask = async (sql, params = []) =>
    (await inTime(timeoutMs, () => ask(connection, sql, params))) as SqlRow[];
  const run = async (): Promise<void> => {
    const savepoint = `form_backend_${++names}`;
    try {
      const [found] = await within(markSql).catch(() => []);
      if (found?.mark !== mark) {
        throw new TypeError(
          "[form-backend] mysql: `tx` is a transaction of another database, without the store's tables",
        );
      }
      await within(`SAVEPOINT ${savepoint}`);
      // Outside of a transaction a savepoint ends at once.
      await within(`ROLLBACK TO SAVEPOINT ${savepoint}`);
    } catch (error) {
      if (errorNumber(error) !== NO_SAVEPOINT) throw explain(error);
      const hint = "call beginTransaction() on it first, and pass the connection itself, not its pool";
      throw new TypeError(`[form-backend] mysql: \`tx\` has no transaction open; ${hint}`, { cause: error });
    }
    try {
      await runAll(within, statements);
      await within(`RELEASE SAVEPOINT ${savepoint}`);
    } catch (error) {
      if (errorNumber(error) === DEADLOCK) {
        const what = "a deadlock ended your whole transaction, not only the submission; begin it again";
        throw new Error(`[form-backend] mysql: ${what}`, { cause: error });
      }
      // If the connection is gone, so is the transaction.
      await within(`ROLLBACK TO SAVEPOINT ${savepoint}`).catch(() => {});
      throw explain(error);
    }
  };
  const turn = (turns.get(key) ?? Promise.resolve()).then(run);
  turns.set(
    key,
    turn.catch(() => {}),
  );
  return turn;
}

/** The connection that was given, before anything is sent to it. Throws a `TypeError` that names what it is. */
function connectionOf(tx: Transaction): MysqlConnectionLike {
  const given = (tx ?? {}) as unknown as Record<string, unknown>;
  const name = typeof tx === "object" && tx !== null ? (tx.constructor?.name ?? "an object") : String(tx);
  if (typeof given.getConnection === "function") {
    throw new TypeError("[form-backend] mysql: `tx` is a pool; pass the connection that your transaction is on");
  }
  const inner = (given.connection ?? given) as { threadId?: unknown };
  if (typeof given.query !== "function" || typeof inner.threadId !== "number") {
    throw new TypeError(`[form-backend] mysql: \`tx\` must be a connection of mysql2 in a transaction, got ${name}`);
  }
  return promised<MysqlConnectionLike>(given);
}
