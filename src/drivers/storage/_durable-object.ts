/** A value of a row as a Durable Object's SQLite gives and takes it. */
export type SqlStorageValue = ArrayBuffer | string | number | null;

/** The members used of `ctx.storage` of a Durable Object with SQLite. */
export interface DurableObjectStorageLike {
  /** Runs one statement; reading it throws in a class without SQLite. */
  readonly sql: {
    exec(
      query: string,
      ...bindings: unknown[]
    ): Iterable<Record<string, SqlStorageValue>> & { toArray(): Record<string, SqlStorageValue>[] };
  };
  /** Runs `work` in a transaction; an error rolls it back. */
  transactionSync<T>(work: () => T): T;
  /** Resolves when everything written so far is on disk. */
  sync(): Promise<void>;
}
