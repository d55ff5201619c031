import type { Condition } from "../../lib/conditions.ts";
import type { Position } from "../../model/collections.ts";
import type { BlobDriver } from "../blob/types.ts";
import type { Transaction } from "./transaction.ts";

export type { Condition, Position, Transaction };

/** Everything a storage driver keeps is a plain JSON object; the columns named in `model/collections.ts` are also indexed. */
export type Value = Record<string, unknown>;

/** A stored row. `version` starts at 1 and grows by one with every `put` and every claim. */
export interface Stored<T = Value> {
  readonly id: string;
  readonly value: T;
  readonly version: number;
}

/** A value for each `equals` column of an index. */
export type Equals = Readonly<Record<string, string | number | boolean | null>>;

/** Waits for the turn of a read among those of its team, then runs one statement of it. */
export type InTurn = <T>(statement: () => Promise<T>) => Promise<T>;

export interface PageQuery {
  /** Name of an index of the collection in `schema.ts`. */
  readonly index: string;
  readonly equals: Equals;
  readonly where?: readonly Condition[] | undefined;
  /** Rows strictly after this place, in the query's order. The row at the place may be gone. */
  readonly after?: Position | undefined;
  readonly order: "asc" | "desc";
  readonly limit: number;
  /**
   * Characters of JSON after which the page ends: with the row that reaches them, so it has at least one. It limits the memory
   * of a page; a driver that can't look ahead may exceed it. A driver may count bytes of its own encoding instead, at most eight
   * for a character of a value.
   */
  readonly weight?: number | undefined;
  /** The declared columns are enough; a driver may leave the rest of the values out. */
  readonly columnsOnly?: boolean | undefined;
  /** Drivers whose database is another process run each statement that reads rows through this. */
  readonly inTurn?: InTurn | undefined;
}

export interface CountQuery {
  readonly index: string;
  readonly equals: Equals;
  readonly where?: readonly Condition[] | undefined;
  /** Group by a column (`prefix`: only its first n characters) or by the first value of a submission field, or of its source. */
  readonly groupBy?:
    | { readonly column: string; readonly prefix?: number }
    | { readonly field: string; readonly of?: "source" }
    | undefined;
  /** Milliseconds after which the driver returns its result so far, with `exact: false`. */
  readonly budgetMs: number;
  /** As in a page. */
  readonly inTurn?: InTurn | undefined;
}

/** Runs of one index, each with the value of the sort column before which a row is looked for. */
export interface HaveBeforeQuery {
  readonly index: string;
  readonly runs: readonly { readonly equals: Equals; readonly before: string }[];
}

export interface Count {
  readonly count: number;
  readonly exact: boolean;
  /** Only with `groupBy`; unordered; key null where the row has no such value. */
  readonly groups?: readonly { readonly key: string | null; readonly count: number }[];
}

/**
 * One write of a commit.
 * - `put` stores a whole value. `expect`: `null` = must be absent, a number = must have that version, undefined = either.
 * - `remove` removes the row; an absent row is fine unless `expect` is given.
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
  /** The most rows of one target. */
  readonly perTarget: number;
  /** Epoch ms to judge by; left out, the driver uses the clock of its database. Given only where a clock was injected. */
  readonly now?: number | undefined;
}

export interface Claim {
  /** The time, in epoch ms, by which the driver judged. */
  readonly now: number;
  readonly jobs: readonly Stored[];
}

/** Files next to a store that is a file of this machine, for hosts that set no place of their own. */
export interface Beside {
  /** The place of uploads without the option `blob`. */
  blob(): BlobDriver;
  /**
   * The secret used in place of the option `secret` outside production: created at the first call, and the same for every
   * process.
   */
  secret(): { readonly secret: string; readonly path: string; readonly made: boolean };
}

/**
 * The store. Every verb is required unless it says otherwise; every driver passes `storageSuite` of `form-backend/testing`.
 * Times in values are ISO 8601 UTC strings with milliseconds, so that text order is time order.
 */
export interface StorageDriver {
  /** The driver's name, for messages. */
  readonly name: string;
  /** Useful number of simultaneous commits; default 1. */
  readonly writers?: number | undefined;
  /** Number of simultaneous long reads that leave room for commits; default 8. */
  readonly readers?: number | undefined;
  /**
   * Undefined if a commit can't be part of a host's transaction. The result writes in `tx`, and leaves `tx` usable when it
   * throws.
   */
  readonly within?:
    | ((tx: Transaction) => Pick<StorageDriver, "commit"> & {
        /** True if all other commits of the store wait for the end of `tx`. */
        readonly isExclusive?: boolean;
      })
    | undefined;
  /** Left out where a store has no place for files. */
  readonly beside?: Beside | undefined;
  /** Tells how long each statement waits for a connection, in seconds. Left out where a store has no pool of connections. */
  onPoolWait?(listener: (seconds: number) => void): void;
  /** Creates or upgrades tables; safe from many processes at once and when called twice. */
  open(): Promise<void>;
  /** The rows of these ids that exist, keyed by id. */
  get(collection: string, ids: readonly string[]): Promise<Map<string, Stored>>;
  /** Reads one page of a collection. */
  page(collection: string, query: PageQuery): Promise<Stored[]>;
  /** Counts rows of a collection. */
  count(collection: string, query: CountQuery): Promise<Count>;
  /**
   * The positions in `runs` of those that have such a row, ascending, by one statement for all. May be left out, by a store
   * that reads a page of each as fast.
   */
  readonly haveBefore?: ((collection: string, query: HaveBeforeQuery) => Promise<number[]>) | undefined;
  /** All or nothing, and durable when the promise resolves. Throws `StaleWriteError` when an expectation fails. */
  commit(writes: readonly Write[]): Promise<void>;
  /**
   * Takes due jobs (`due_at <= now` in the lane), earliest first. Each goes to one caller: `due_at` becomes now + lease,
   * `leased` true, `lost` grows by one where it was leased already, and the version grows by one: it is the fencing token.
   */
  claim(query: ClaimQuery): Promise<Claim>;
  /** Epoch ms of the earliest `due_at` of the lane, null when nothing is due ever. */
  nextDueAt(lane: string): Promise<number | null>;
  /** Removes deleted data from the driver's own journals, if it has any; called after an erasure and each sweep. As far as possible. */
  readonly scrub?: (() => Promise<void>) | undefined;
  /** Closes everything that the driver opened itself. May be called twice. */
  close(): Promise<void>;
}

/** An expectation of a commit was not met; nothing of the commit was written. */
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
  /** True if certainly nothing was written; otherwise the response was lost, and it may have been written. */
  readonly nothingWritten: boolean;
  constructor(message: string, { cause, nothingWritten = false }: ErrorOptions & { nothingWritten?: boolean } = {}) {
    super(message, { cause });
    this.nothingWritten = nothingWritten;
  }
}
