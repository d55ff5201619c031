import { createGate, type Gate } from "../../../lib/gate.ts";
import { inTime } from "../../../lib/in-time.ts";
import type { SqlRow } from "../_sql/sql.ts";
import type { Transaction } from "../types.ts";
import { asStale, runAll, type Statement } from "./commit.ts";
import { explain, sqlState } from "./errors.ts";

/** One place for each transaction: a rollback undoes all that its connection wrote since the savepoint, so commits never overlap. */
const gates = new WeakMap<Transaction, Gate>();
/** The number of the last savepoint. Each has a name of its own, so no commit ever ends another one's. */
let savepoints = 0;

/**
 * In the host's transaction, which the host commits; a failure rolls back only our part. Commits in one transaction take turns,
 * in the order of their calls.
 */
export async function commitIn(
  tx: Transaction,
  schema: string,
  statements: readonly Statement[],
  timeoutMs: number,
): Promise<void> {
  if (typeof tx?.query !== "function") {
    throw new TypeError("[form-backend] postgres: `tx` must be a client with query(text, params)");
  }
  const gate = gates.get(tx) ?? createGate(1);
  gates.set(tx, gate);
  const leave = await gate.enter("");
  try {
    await commitAlone(tx, schema, statements, timeoutMs);
  } finally {
    leave?.();
  }
}

async function commitAlone(
  tx: Transaction,
  schema: string,
  statements: readonly Statement[],
  timeoutMs: number,
): Promise<void> {
  const ask = async (sql: string, params: readonly unknown[] = []): Promise<SqlRow[]> =>
    (await inTime(timeoutMs, async () => (await tx.query(sql, [...params])) as { rows: SqlRow[] })).rows;
  const savepoint = `form_backend_${++savepoints}`;
  try {
    await ask(`SAVEPOINT ${savepoint}`);
  } catch (error) {
    if (sqlState(error) !== "25P01") throw explain(error, schema);
    const hint = "run BEGIN on it first, and pass the client itself, not its pool";
    throw new TypeError(`[form-backend] postgres: \`tx\` has no transaction open; ${hint}`, { cause: error });
  }
  try {
    await runAll(ask, statements);
    await ask(`RELEASE SAVEPOINT ${savepoint}`);
  } catch (error) {
    // If the connection is gone, so is the transaction.
    await ask(`ROLLBACK TO SAVEPOINT ${savepoint}`)
      .then(() => ask(`RELEASE SAVEPOINT ${savepoint}`))
      .catch(() => {});
    throw explain(asStale(error), schema);
  }
}
