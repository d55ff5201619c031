import { errorMessage } from "../../../lib/message.ts";
import { quote, type SqlRow } from "../_sql/sql.ts";
import { type Joining, joined } from "../_tx/join.ts";
import { type Link, RefusedError } from "../_tx/link.ts";
import { StaleWriteError, type Transaction } from "../types.ts";
import type { Statement } from "./commit.ts";

/** For a statement of a library whose calls are not synchronous. */
const TIMEOUT_MS = 10_000;

/** The open store, beside a host's transaction. */
export interface Beside {
  /** The handle that it writes over, if that may be the host's own. */
  readonly handle?: object;
  read(sql: string): Promise<readonly SqlRow[]>;
  /** True while another connection has the lock for writing. Left out where the store can't see locks. */
  isTaken?(): Promise<boolean>;
}

/** The store's name, and its words for a `tx` that is of no use. */
export type Named = Pick<Joining, "store" | "possible" | "toBegin"> & {
  /** Completes "it is on another file, or of another copy of SQLite; ". */
  readonly sameCopy: string;
};

/** Writes in a host's transaction. Throws a `TypeError` for a `tx` that is of no use; the result runs the statements in it. */
export function joiner(
  prefix: string,
  { sameCopy, ...named }: Named,
  opened: () => Beside,
  explain: (error: unknown) => unknown,
): (tx: Transaction) => (statements: readonly Statement[]) => Promise<void> {
  const list = quote(`${prefix}migrations`);
  const mark = `SELECT applied_at FROM ${list} WHERE id = 1`;

  async function check(link: Link): Promise<void> {
    const { handle, read, isTaken } = opened();
    if (link.connection === handle) return;
    const [theirs] = await link.read(mark).catch(() => []);
    if (!theirs) throw new RefusedError("is in a database without the store's tables");
    const [ours] = await read(mark);
    const isSame = ours?.applied_at === theirs.applied_at;
    if (!isTaken) {
      if (!isSame) throw new RefusedError("is in another database than the store");
      return;
    }
    // Takes the lock for writing, and changes nothing.
    if (isSame) await link.run(`DELETE FROM ${list} WHERE id < 0`);
    if (!isSame || !(await isTaken())) {
      throw new RefusedError(
        `holds no lock that the store can see: it is on another file, or of another copy of SQLite; ${sameCopy}`,
      );
    }
  }

  const joining: Joining = {
    ...named,
    kind: "SQLite",
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
