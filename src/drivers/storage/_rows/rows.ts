import { collectionSpec, comparePositions, type IndexSpec, indexSpec } from "../../../model/collections.ts";
import { type ClaimQuery, type Position, StaleWriteError, type Stored, type Value, type Write } from "../types.ts";
import { type ColumnValue, checkWrite } from "./columns.ts";

/** The result of a commit in one place; `row: null` = nothing. */
export interface Change {
  readonly collection: string;
  readonly id: string;
  readonly row: Stored | null;
}

/**
 * Rows in memory with their indexes. Stored rows are never altered, only replaced, so a copied list is a snapshot. Planning
 * reads and may throw; applying can't fail, so a driver can write elsewhere in between.
 */
export interface Rows {
  get(collection: string, id: string): Stored | undefined;
  /** The rows of one partition in index order: the live list, to be read at once or copied. */
  list(collection: string, index: string, pins: readonly ColumnValue[]): readonly Stored[];
  plan(writes: readonly Write[]): Change[];
  planClaim(query: ClaimQuery, now: number): Change[];
  apply(changes: readonly Change[]): void;
}

/** A deep copy of a value, as far as JSON can express it. */
export const copyValue = (value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

export const copyRow = (row: Stored): Stored => ({ id: row.id, value: copyValue(row.value), version: row.version });

/** The first index in `list` whose place is after `position`, or at it if `inclusive`. */
export function seek(list: readonly Stored[], sort: string, position: Position, inclusive: boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = comparePositions(placeOf(list[middle]!, sort), position);
    if (order < 0 || (order === 0 && !inclusive)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** `initial`: rows to start from, in any order. */
export function createRows(initial: readonly Change[] = []): Rows {
  const tables = new Map<string, Map<string, Stored>>();
  const partitions = new Map<string, Stored[]>();

  const table = (collection: string): Map<string, Stored> => {
    let found = tables.get(collection);
    if (!found) {
      collectionSpec(collection);
      found = new Map();
      tables.set(collection, found);
    }
    return found;
  };
  const get = (collection: string, id: string): Stored | undefined => table(collection).get(id);
  const list = (collection: string, index: string, pins: readonly ColumnValue[]): readonly Stored[] =>
    partitions.get(partitionKey(collection, index, pins)) ?? [];

  function partition(key: string): Stored[] {
    let rows = partitions.get(key);
    if (!rows) {
      rows = [];
      partitions.set(key, rows);
    }
    return rows;
  }

  function reindex(collection: string, before: Stored | undefined, after: Stored | null): void {
    for (const [index, spec] of Object.entries(collectionSpec(collection).indexes)) {
      const from = before && partitionOf(collection, index, spec, before);
      const to = after ? partitionOf(collection, index, spec, after) : undefined;
      if (before && after && from !== undefined && from === to && before.value[spec.sort] === after.value[spec.sort]) {
        const rows = partitions.get(from)!;
        rows[seek(rows, spec.sort, placeOf(before, spec.sort), true)] = after;
        continue;
      }
      if (before && from !== undefined) {
        const rows = partitions.get(from)!;
        rows.splice(seek(rows, spec.sort, placeOf(before, spec.sort), true), 1);
        if (rows.length === 0) partitions.delete(from);
      }
      if (after && to !== undefined) insert(partition(to), spec.sort, after);
    }
  }

  // Sorting each partition once: inserting a large store row by row in any order would move half a list for each.
  for (const { collection, id, row } of initial) {
    if (!row) continue;
    table(collection).set(id, row);
    for (const [index, spec] of Object.entries(collectionSpec(collection).indexes)) {
      const key = partitionOf(collection, index, spec, row);
      if (key !== undefined) partition(key).push(row);
    }
  }
  for (const [key, rows] of partitions) {
    const [collection, index] = JSON.parse(key) as [string, string];
    const sort = sortOf(collection, index);
    rows.sort((a, b) => comparePositions(placeOf(a, sort), placeOf(b, sort)));
  }

  return {
    get,
    list,
    plan(writes) {
      const planned = new Map<string, Change>();
      for (const write of writes) {
        checkWrite(write);
        const collection = write.op === "add" ? "counters" : write.collection;
        const key = `${collection} ${write.id}`;
        const earlier = planned.get(key);
        const now = earlier ? earlier.row : (get(collection, write.id) ?? null);
        planned.set(key, { collection, id: write.id, row: outcome(write, now) });
      }
      return [...planned.values()];
    },
    planClaim(query, now) {
      const until = new Date(now).toISOString();
      const dueAt = new Date(now + query.leaseMs).toISOString();
      const taken = new Map<string, number>(query.exclude.map((target) => [target, query.perTarget]));
      const changes: Change[] = [];
      for (const row of list("jobs", "due", [query.lane])) {
        if (changes.length >= query.limit || String(row.value.due_at) > until) break;
        const target = row.value.target;
        if (typeof target === "string") {
          const count = taken.get(target) ?? 0;
          if (count >= query.perTarget) continue;
          taken.set(target, count + 1);
        }
        const lost = Number(row.value.lost ?? 0) + (row.value.leased === true ? 1 : 0);
        const value = { ...row.value, due_at: dueAt, leased: true, lost };
        changes.push({ collection: "jobs", id: row.id, row: { id: row.id, value, version: row.version + 1 } });
      }
      return changes;
    },
    apply(changes) {
      for (const { collection, id, row } of changes) {
        const rows = table(collection);
        const before = rows.get(id);
        if (row) rows.set(id, row);
        else rows.delete(id);
        reindex(collection, before, row);
      }
    },
  };
}

function outcome(write: Write, now: Stored | null): Stored | null {
  if (write.op === "add") {
    const { n, at } = (now?.value ?? { n: 0, at: write.at }) as { n: number; at: string };
    return { id: write.id, value: { n: n + write.by, at: at > write.at ? at : write.at }, version: 1 };
  }
  if (write.expect !== undefined && (now?.version ?? null) !== write.expect) {
    throw new StaleWriteError(write.collection, write.id);
  }
  if (write.op === "remove") return null;
  return { id: write.id, value: copyValue(write.value), version: (now?.version ?? 0) + 1 };
}

function placeOf(row: Stored, sort: string): Position {
  return { sort: row.value[sort] as string | number, id: row.id };
}

function insert(rows: Stored[], sort: string, row: Stored): void {
  const last = rows.at(-1);
  const place = placeOf(row, sort);
  if (!last || comparePositions(placeOf(last, sort), place) < 0) rows.push(row);
  else rows.splice(seek(rows, sort, place, true), 0, row);
}

function partitionOf(collection: string, index: string, spec: IndexSpec, row: Stored): string | undefined {
  if ((row.value[spec.sort] ?? null) === null) return undefined;
  return partitionKey(
    collection,
    index,
    spec.equals.map((column) => (row.value[column] ?? null) as ColumnValue),
  );
}

function partitionKey(collection: string, index: string, pins: readonly ColumnValue[]): string {
  return JSON.stringify([collection, index, ...pins]);
}

/** The sort column of an index. */
export const sortOf = (collection: string, index: string): string => indexSpec(collection, index).sort;
