import {
  type Equals,
  type PageQuery,
  type Position,
  StaleWriteError,
  type StorageDriver,
  type Stored,
  type Value,
  type Write,
} from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import type { Leaf } from "../lib/leaves.ts";
import type { CollectionName } from "../model/collections.ts";
import type { MarkId } from "../model/marks.ts";
import type { MarkRecord, Records } from "../model/records.ts";
import { createBatchedGet } from "./batched-get.ts";
import type { Changes, RowCaches } from "./caches.ts";
import { pagesOf } from "./pages.ts";
import { type ListQuery, pageMerged } from "./paging.ts";
import type { RecordReader } from "./record-reader.ts";

/** A stored row of a collection. */
export type Row<C extends CollectionName> = Stored<Records[C]>;

/** A page of an index, and the start of the next one; null after the last one. */
export interface Page<C extends CollectionName> {
  readonly rows: Row<C>[];
  readonly next: Position | null;
}

/** The rows to walk through, and the order. */
export interface WalkQuery {
  readonly index: string;
  readonly equals?: Equals;
  readonly where?: PageQuery["where"];
  /** Default `asc`. */
  readonly order?: "asc" | "desc";
  /** The most rows of a page. Default 500. */
  readonly limit?: number;
  /** The most rows altogether, those that can't be read among them. Default: all. */
  readonly most?: number;
  /** Reads in the places of a caller's long reads (`readerOf`). Default: the store itself. */
  readonly through?: Pick<StorageDriver, "page">;
  /** Called for each row that is left out because it can't be read. */
  readonly unreadable?: (row: Stored, error: Error) => void;
}

/**
 * The store with typed records, each read with its leaves' defaults. Methods for one row throw `internal_error`, naming record
 * and leaf, if it can't be read. Methods for many rows leave such a row out and log the same sentence.
 */
export interface Rows {
  /** One row, or null. */
  get<C extends CollectionName>(collection: C, id: string): Promise<Row<C> | null>;
  /** `get` for work that dozens do at the same time: rows asked for in one turn of the event loop are read together. */
  batched<C extends CollectionName>(collection: C, id: string): Promise<Row<C> | null>;
  /**
   * `get` for rows that every request reads: at most 2 s old if another process wrote them. `load` reads a row that is not
   * cached.
   */
  cached<C extends keyof RowCaches>(
    collection: C,
    key: string,
    load?: () => Promise<Row<C> | null>,
  ): Promise<Row<C> | null>;
  /** The row if `cached` would only wrap it in a promise; null says nothing. */
  known<C extends keyof RowCaches>(collection: C, key: string): Row<C> | null;
  /** True if `cached` has the row, or is reading it already. */
  isCached(collection: keyof RowCaches, key: string): boolean;
  /** The rows of these ids that exist, by id. */
  many<C extends CollectionName>(collection: C, ids: readonly string[]): Promise<Map<string, Row<C>>>;
  /** One page over runs of an index, merged in its order. */
  page<C extends CollectionName>(collection: C, query: ListQuery): Promise<Page<C>>;
  /** Every row of an index, page by page, each as light as a store can make it; rows may be changed and removed on the way. */
  walk<C extends CollectionName>(collection: C, query: WalkQuery): AsyncGenerator<Row<C>[]>;
  /** All rows of an index at once, for small numbers. */
  all<C extends CollectionName>(collection: C, query: WalkQuery): Promise<Row<C>[]>;
  /**
   * Changes one row under its version. Repeats the change if another writer was faster, so no change is lost. `change` returns
   * the new value, or null to leave the row alone; it may throw. `also` adds writes to the same commit. Throws `missing()` if
   * there is no such row.
   */
  update<C extends CollectionName>(
    collection: C,
    id: string,
    change: (value: Records[C], version: number) => Records[C] | null | Promise<Records[C] | null>,
    missing: () => Error,
    also?: (value: Records[C]) => readonly Write[],
  ): Promise<Records[C]>;
  /** Rows that came from elsewhere, such as a claim, without those that can't be read. */
  readable<C extends CollectionName>(collection: C, rows: Iterable<Stored>): Row<C>[];
  /** The number of changes to rows of a collection by this process. New submissions don't count. */
  changes(collection: CollectionName): number;
  /** A mark, or null, read through the leaves of the feature that wrote it, and together with others as `batched` does. Throws like `get`. */
  mark<T extends MarkRecord>(id: MarkId, leaf: Leaf<T>): Promise<Stored<T> | null>;
  /** The same for a row that has been read already. */
  asMark<T extends MarkRecord>(row: Stored, leaf: Leaf<T>): Stored<T>;
}

/** Makes `core.rows`. `storage` must drop written rows from `caches`, as `droppingOnWrite` does. */
export function createRows(
  storage: StorageDriver,
  caches: RowCaches,
  reader: RecordReader,
  changes: Changes = new Map(),
): Rows {
  const batchedGet = createBatchedGet(storage);

  async function get<C extends CollectionName>(collection: C, id: string): Promise<Row<C> | null> {
    const row = (await storage.get(collection, [id])).get(id);
    return row ? reader.read(collection, row) : null;
  }

  async function* walk<C extends CollectionName>(
    collection: C,
    { through = storage, equals = {}, order = "asc", limit, most, unreadable, ...query }: WalkQuery,
  ): AsyncGenerator<Row<C>[]> {
    for await (const stored of pagesOf(through, collection, { equals, order, ...query }, most, limit)) {
      const rows = reader.readable(collection, stored, unreadable);
      if (rows.length > 0) yield rows;
    }
  }

  return {
    get,
    walk,
    async batched(collection, id) {
      const row = await batchedGet(collection, id);
      return row && reader.read(collection, row);
    },
    cached: (collection, key, load = () => get(collection, key)) => caches[collection].get(key, load),
    known: (collection, key) => caches[collection].known(key),
    isCached: (collection, key) => caches[collection].has(key),
    async many(collection, ids) {
      const stored = await storage.get(collection, ids);
      return new Map(reader.readable(collection, stored.values()).map((row) => [row.id, row]));
    },
    async page(collection, query) {
      const { rows, next } = await pageMerged(storage, collection, query);
      return { rows: reader.readable(collection, rows), next };
    },
    async all(collection, query) {
      const pages = [];
      for await (const rows of walk(collection, query)) pages.push(rows);
      return pages.flat();
    },
    update: (collection, id, change, missing, also = () => []) =>
      retrying(async () => {
        const row = await get(collection, id);
        if (!row) throw missing();
        const value = await change(row.value, row.version);
        if (value === null) return row.value;
        await storage.commit([put(collection, id as IdOf<typeof collection>, value, row.version), ...also(value)]);
        return value;
      }),
    readable: reader.readable,
    changes: (collection) => changes.get(collection) ?? 0,
    async mark(id, leaf) {
      const row = await batchedGet("marks", id);
      return row ? reader.as(leaf, "marks", row) : null;
    },
    asMark: (row, leaf) => reader.as(leaf, "marks", row),
  };
}

/** Ids are texts. A mark's begins with its kind, so that the sweep knows what ends with it. */
type IdOf<C extends CollectionName> = C extends "marks" ? MarkId : string;

/** Stores a whole record. `expect`: null = must be absent, a number = must have that version, undefined = either. */
export const put = <C extends CollectionName>(
  collection: C,
  id: IdOf<C>,
  value: Records[C],
  expect?: number | null,
): Write => ({ op: "put", collection, id, value: value as object as Value, expect });

/** Removes a row; an absent row is fine unless `expect` is given. */
export const remove = (collection: CollectionName, id: string, expect?: number): Write => ({
  op: "remove",
  collection,
  id,
  expect,
});

/** For a commit that another writer may have made unnecessary: catches `StaleWriteError`, and throws any other error. */
export function ignoreStale(error: unknown): void {
  if (!(error instanceof StaleWriteError)) throw error;
}

/**
 * Repeats `attempt` while another writer is faster. Throws `unavailable` after `tries`, and any error but `StaleWriteError` at
 * once.
 */
export async function retrying<T>(attempt: () => Promise<T>, tries = 50): Promise<T> {
  for (let failed = 1; ; failed++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      if (failed === tries) throw new ApiError("unavailable", { headers: { "retry-after": "1" }, cause: error });
      // A random wait, or the losers collide again.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** failed, 50)));
    }
  }
}
