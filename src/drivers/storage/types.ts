/** Everything a storage driver keeps is a plain JSON object; the columns named in `schema.ts` are also indexed. */
export type Value = Record<string, unknown>;

/** A stored row. `version` starts at 1 and grows by one with every `put` and every claim. */
export interface Stored<T = Value> {
  readonly id: string;
  readonly value: T;
  readonly version: number;
}

/**
 * One condition; a list of them is AND-ed. `column` compares an indexed column; `field` looks into the `fields` array of
 * `{ key, value }` entries of a submission (`field: null` = any field).
 * `contains`, `not_contains` and `starts_with` ignore case; `eq` and `in` do not. `not_contains` holds when no entry contains the text.
 */
export type Condition =
  | { readonly column: string; readonly op: "in"; readonly value: readonly (string | number | boolean | null)[] }
  | { readonly column: string; readonly op: "gte" | "lt"; readonly value: string | number }
  | {
      readonly field: string | null;
      readonly op: "eq" | "contains" | "not_contains" | "starts_with";
      readonly value: string;
    }
  | { readonly field: string; readonly op: "in"; readonly value: readonly string[] }
  | { readonly field: string; readonly op: "exists"; readonly value: boolean };

/** What an index pins: a value for each of its `equals` columns. */
export type Equals = Readonly<Record<string, string | number | boolean | null>>;

/** A place in an index: the value of its `sort` column and the id. Pages are keyed, never counted from the start. */
export interface Position {
  readonly sort: string | number;
  readonly id: string;
}

export interface PageQuery {
  /** Name of an index of the collection in `schema.ts`. */
  readonly index: string;
  readonly equals: Equals;
  readonly where?: readonly Condition[] | undefined;
  /** Rows strictly behind this place, in the order asked for. The row that stood there may be gone. */
  readonly after?: Position | undefined;
  readonly order: "asc" | "desc";
  readonly limit: number;
}

export interface CountQuery {
  readonly index: string;
  readonly equals: Equals;
  readonly where?: readonly Condition[] | undefined;
  /** Group by a column (`prefix`: only its first n characters) or by the first value of a submission field. */
  readonly groupBy?: { readonly column: string; readonly prefix?: number } | { readonly field: string } | undefined;
  /** Milliseconds after which the driver answers what it has, with `exact: false`. */
  readonly budgetMs: number;
}

export interface Count {
  readonly count: number;
  readonly exact: boolean;
  /** Only with `groupBy`; unordered; key null where the row has no such value. */
  readonly groups?: readonly { readonly key: string | null; readonly count: number }[];
}

/**
 * One write of a commit.
 * - `put` stores a whole value. `expect`: `null` = must be absent, a number = must have that version, left out = whatever is there.
 * - `remove` takes the row away; removing what is absent is fine unless `expect` is given.
 * - `add` adds to a counter row of the collection `counters` (`{ n, at }`), creating it; `at` keeps the greatest seen.
 */
export type Write =
  | {
      readonly op: "put";
      readonly collection: string;
      readonly id: string;
      readonly value: Value;
      readonly expect?: number | null | undefined;
    }
  | { readonly op: "remove"; readonly collection: string; readonly id: string; readonly expect?: number | undefined }
  | { readonly op: "add"; readonly id: string; readonly by: number; readonly at: string };

export interface ClaimQuery {
  readonly lane: string;
  readonly leaseMs: number;
  readonly limit: number;
  /** Targets that get nothing this time. */
  readonly exclude: readonly string[];
  /** At most so many rows of one target. */
  readonly perTarget: number;
  /** Epoch ms to judge by; left out, the driver uses the clock of its database. Given only where a clock was injected. */
  readonly now?: number | undefined;
}

export interface Claim {
  /** The time, in epoch ms, by which the driver judged. */
  readonly now: number;
  readonly jobs: readonly Stored[];
}

/** A client of the host's in the midst of a transaction: `Client` and `PoolClient` of pg have this shape. */
export interface Transaction {
  query(text: string, params?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/**
 * The store. Every verb is required; every driver passes `storageSuite` of `form-backend/testing`.
 * Times in values are ISO 8601 UTC strings with milliseconds, so that text order is time order.
 */
export interface StorageDriver {
  readonly name: string;
  /** How many commits it is worth having in flight; 1 where left out. */
  readonly writers?: number | undefined;
  /** Left out where a commit can't be part of a host's transaction. What it answers writes in `tx`, and leaves `tx` usable when it throws. */
  readonly within?: ((tx: Transaction) => Pick<StorageDriver, "commit">) | undefined;
  /** Creates or upgrades what is needed; safe from many processes at once and when called twice. */
  open(): Promise<void>;
  /** The rows of these ids that exist, keyed by id. */
  get(collection: string, ids: readonly string[]): Promise<Map<string, Stored>>;
  page(collection: string, query: PageQuery): Promise<Stored[]>;
  count(collection: string, query: CountQuery): Promise<Count>;
  /** All or nothing, and durable when the promise resolves. Throws `StaleWriteError` when an expectation fails. */
  commit(writes: readonly Write[]): Promise<void>;
  /**
   * Takes due jobs (`due_at <= now` in the lane), earliest first. Each goes to one caller: `due_at` becomes now + lease,
   * `leased` true, `lost` grows by one where it was leased already, and the version grows by one: it is the fencing token.
   */
  claim(query: ClaimQuery): Promise<Claim>;
  /** Epoch ms of the earliest `due_at` of the lane, null when nothing is due ever. */
  nextDueAt(lane: string): Promise<number | null>;
  /** Closes what the driver opened itself; twice is fine. */
  close(): Promise<void>;
}

/** An expectation of a commit did not hold; nothing of the commit was written. */
export class StaleWriteError extends Error {
  override readonly name = "StaleWriteError";
  readonly collection: string;
  readonly id: string;
  constructor(collection: string, id: string) {
    super(`[form-backend] stale write to ${collection} ${id}`);
    this.collection = collection;
    this.id = id;
  }
}

/** The store can't be reached, has no room or may not be written: no smaller commit would fare better. */
export class StoreDownError extends Error {
  override readonly name = "StoreDownError";
}
