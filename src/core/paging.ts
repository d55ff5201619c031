import type { Condition, Equals, Position, StorageDriver, Stored } from "../drivers/storage/types.ts";
import { ApiError } from "../errors.ts";
import type { Secrets } from "../lib/secrets.ts";
import { createSigner } from "../lib/signer.ts";
import { comparePositions, indexSpec } from "../model/collections.ts";

/** Cursors are opaque: a place in an index, signed together with the query that it belongs to. */
export interface Cursors {
  issue(position: Position, query: string): string;
  /** Throws `invalid_parameter` on `cursor` when it was tampered with or comes from another query. */
  read(cursor: string, query: string): Position;
}

/** `secrets` is called at first use. */
export function createCursors(secrets: Secrets): Cursors {
  const signer = createSigner(secrets, "cursor");
  const signed = (payload: string, query: string): string => `${payload}\n${query}`;
  return {
    issue({ sort, id }, query) {
      const payload = Buffer.from(JSON.stringify([sort, id])).toString("base64url");
      return `${payload}.${signer.sign(signed(payload, query))}`;
    },
    read(cursor, query) {
      const [payload = "", signature = "", ...more] = cursor.split(".");
      if (more.length > 0 || !signer.verify(signed(payload, query), signature)) {
        throw new ApiError("invalid_parameter", {
          param: "cursor",
          message: "`cursor` does not belong to this query; start again without it.",
        });
      }
      const [sort, id] = JSON.parse(Buffer.from(payload, "base64url").toString()) as [string | number, string];
      return { sort, id };
    },
  };
}

/** One run of an index; several of them are read as one list. */
export interface Partition {
  readonly index: string;
  readonly equals: Equals;
}

/** The page to read, and its runs. */
export interface ListQuery {
  /** All of indexes that sort by the same column. */
  readonly partitions: readonly Partition[];
  readonly where?: readonly Condition[] | undefined;
  readonly after?: Position | undefined;
  readonly order: "asc" | "desc";
  readonly limit: number;
}

/** A page over several partitions, merged by (sort, id), and the start of the next one; null after the last one. */
export async function pageMerged(
  storage: Pick<StorageDriver, "page">,
  collection: string,
  { partitions, where, after, order, limit }: ListQuery,
): Promise<{ rows: Stored[]; next: Position | null }> {
  const [first] = partitions;
  if (!first) return { rows: [], next: null };
  const { sort } = indexSpec(collection, first.index);
  const runs = await Promise.all(
    partitions.map(({ index, equals }) =>
      storage.page(collection, { index, equals, where, after, order, limit: limit + 1 }),
    ),
  );
  const placeOf = ({ id, value }: Stored): Position => ({ sort: value[sort] as string | number, id });
  const found = runs.length === 1 ? (runs[0] ?? []) : runs.flat();
  if (runs.length > 1) {
    const sign = order === "asc" ? 1 : -1;
    found.sort((a, b) => sign * comparePositions(placeOf(a), placeOf(b)));
  }
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: last && found.length > limit ? placeOf(last) : null };
}

/** The list shape of the API, with the cursor that leads on. */
export function toList<Item>(
  data: Item[],
  next: Position | null,
  issue: (position: Position) => string,
): { data: Item[]; has_more: boolean; next_cursor: string | null } {
  return { data, has_more: next !== null, next_cursor: next && issue(next) };
}
