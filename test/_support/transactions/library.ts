import type { Transaction } from "../../../src/drivers/storage/types.ts";

/** A transaction of a library: it, and a way to run a statement of the host's own in it. */
export interface Held {
  readonly tx: Transaction;
  sql(statement: string): Promise<unknown>;
}

/** One library, as a host uses it, over a database. */
export interface Library {
  /** Commits when `work` resolves, and rolls back when it rejects. */
  transaction(work: (held: Held) => Promise<void>): Promise<unknown>;
  /** The same within a transaction; a text that says why the library has none. */
  readonly nested: ((held: Held, work: (inner: Held) => Promise<void>) => Promise<unknown>) | string;
  /** Why it can't have two transactions at once. */
  readonly single?: string;
  close(): Promise<unknown>;
}

/** Opens a library over a database. */
export interface LibraryOf {
  readonly name: string;
  open(url: string): Promise<Library>;
}
