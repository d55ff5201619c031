import { inTime } from "../../../lib/in-time.ts";
import type { SqlRow } from "../_sql/sql.ts";
import type { Transaction } from "../types.ts";
import { asStale, runAll, type Statement } from "./commit.ts";
import { explain, sqlState } from "./errors.ts";

/** In the host's transaction, which the host commits; a failure rolls back only our part. */
export async function commitIn(
  tx: Transaction,
  schema: string,
  statements: readonly Statement[],
  timeoutMs: number,
): Promise<void> {
  if (typeof tx?.query !== "function") {
    throw new TypeError("[form-backend] postgres: `tx` must be a client with query(text, params)");
  }
  const ask = async (sql: string, params: readonly unknown[] = []): Promise<SqlRow[]> =>
    (await inTime(timeoutMs, () => tx.query(sql, [...params]))).rows as SqlRow[];
  try {
    await ask("SAVEPOINT form_backend");
  } catch (error) {
    if (sqlState(error) !== "25P01") throw explain(error, schema);
    const hint = "run BEGIN on it first, and pass the client itself, not its pool";
    throw new TypeError(`[form-backend] postgres: \`tx\` has no transaction open; ${hint}`, { cause: error });
  }
  try {
    await runAll(ask, statements);
    await ask("RELEASE SAVEPOINT form_backend");
  } catch (error) {
    // If the connection is gone, so is the transaction.
    await ask("ROLLBACK TO SAVEPOINT form_backend").catch(() => {});
    throw explain(asStale(error), schema);
  }
}
