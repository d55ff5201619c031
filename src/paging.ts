import { createHmac } from "node:crypto";
import type { Condition, Equals, Position, StorageDriver, Stored } from "./drivers/storage/types.ts";
import { ApiError } from "./errors.ts";
import { deriveKey } from "./lib/seal.ts";

/** Cursors are opaque: a place in an index, signed together with the query that it belongs to. */
export interface Cursors {
  issue(position: Position, query: string): string;
  /** Throws `invalid_parameter` on `cursor` when it was tampered with or comes from another query. */
  read(cursor: string, query: string): Position;
}

export function createCursors(secret: string): Cursors {
  const key = deriveKey(secret, "cursor");
  const sign = (payload: string, query: string) =>
    createHmac("sha256", key).update(payload).update("\n").update(query).digest("base64url").slice(0, 22);
  return {
    issue({ sort, id }, query) {
      const payload = Buffer.from(JSON.stringify([sort, id])).toString("base64url");
      return `${payload}.${sign(payload, query)}`;
    },
    read(cursor, query) {
      const [payload = "", mac] = cursor.split(".");
      if (mac === undefined || mac !== sign(payload, query) || cursor.split(".").length !== 2) {
        throw new ApiError("invalid_parameter", {
          param: "cursor",
          message: "`cursor` is not one that this query gave; start again without it.",
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

interface ListQuery {
  readonly partitions: readonly Partition[];
  /** The column that every partition's index sorts by. */
  readonly sort: string;
  readonly where?: readonly Condition[] | undefined;
  readonly after?: Position | undefined;
  readonly order: "asc" | "desc";
  readonly limit: number;
}

/** A page over several partitions merged by (sort, id), and whether more follow. */
export async function pageMerged<T>(
  storage: StorageDriver,
  collection: string,
  { partitions, sort, where, after, order, limit }: ListQuery,
): Promise<{ rows: Stored<T>[]; more: boolean }> {
  const runs = await Promise.all(
    partitions.map(({ index, equals }) =>
      storage.page(collection, { index, equals, where, after, order, limit: limit + 1 }),
    ),
  );
  const place = (row: Stored) => row.value[sort] as string | number;
  const rows = runs.length === 1 ? (runs[0] ?? []) : runs.flat();
  if (runs.length > 1) {
    const sign = order === "asc" ? 1 : -1;
    rows.sort((a, b) => {
      const [x, y] = place(a) === place(b) ? [a.id, b.id] : [place(a), place(b)];
      return x < y ? -sign : x > y ? sign : 0;
    });
  }
  return { rows: rows.slice(0, limit) as Stored<T>[], more: rows.length > limit };
}

/** The list shape of the API, with the cursor that leads on. */
export function toList<T, Item>(
  page: { rows: Stored<T>[]; more: boolean },
  sort: keyof T,
  items: Item[],
  issue: (position: Position) => string,
): { data: Item[]; has_more: boolean; next_cursor: string | null } {
  const last = page.rows.at(-1);
  const next_cursor = page.more && last ? issue({ sort: last.value[sort] as string | number, id: last.id }) : null;
  return { data: items, has_more: page.more, next_cursor };
}
