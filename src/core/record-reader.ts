import type { Stored, Value } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import { type Leaf, LeafError } from "../lib/leaves.ts";
import type { CollectionName } from "../model/collections.ts";
import { type Records, recordLeaves } from "../model/records.ts";
import type { Logger } from "./options/types.ts";

/** Rows of which the log has spoken already; a list that is read every second must not fill it. */
const MAX_REPORTED = 1_000;

/** Reads stored rows through the leaves of their records. */
export interface RecordReader {
  /** One row. Throws `internal_error`, which names record and leaf. */
  read<C extends CollectionName>(collection: C, row: Stored): Stored<Records[C]>;
  /** The rows that can be read. The others are left out, and the log names each of them once. */
  readable<C extends CollectionName>(
    collection: C,
    rows: Iterable<Stored>,
    unreadable?: (row: Stored, error: Error) => void,
  ): Stored<Records[C]>[];
  /** Reads one row with the given leaves. Throws `internal_error`, which names record and leaf. */
  as<T>(leaf: Leaf<T>, collection: CollectionName, row: Stored): Stored<T>;
}

export function createRecordReader(logger: Logger): RecordReader {
  const reported = new Set<string>();
  const leaves: { readonly [C in CollectionName]: Leaf<Records[C]> } = recordLeaves;

  function as<T>(leaf: Leaf<T>, collection: CollectionName, row: Stored): Stored<T> {
    try {
      const value = leaf.read(row.value);
      return value === row.value ? (row as Stored<T & Value>) : { ...row, value };
    } catch (error) {
      throw error instanceof LeafError ? faultOf(collection, row.id, error) : error;
    }
  }

  const read = <C extends CollectionName>(collection: C, row: Stored): Stored<Records[C]> => {
    try {
      return as(leaves[collection], collection, row);
    } catch (error) {
      report(`${collection} ${row.id} ${row.version}`, error as Error);
      throw error;
    }
  };

  function report(row: string, { message }: Error): void {
    if (reported.has(row)) return;
    if (reported.size >= MAX_REPORTED) reported.clear();
    reported.add(row);
    logger.error(message);
  }

  return {
    read,
    as,
    readable(collection, rows, unreadable) {
      const found = [];
      for (const row of rows) {
        try {
          found.push(read(collection, row));
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          unreadable?.(row, error);
        }
      }
      return found;
    },
  };
}

const faultOf = (collection: CollectionName, id: string, error: LeafError): ApiError =>
  new ApiError("internal_error", {
    message: `The stored record "${id}" of ${collection} can't be read: ${error.message}. Another version of form-backend wrote it, or somebody changed it by hand.`,
    cause: error,
  });
