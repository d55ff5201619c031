import { comparePositions, indexSpec } from "../../../model/collections.ts";
import type { Condition, Equals, Position } from "../types.ts";
import type { ColumnValue } from "./columns.ts";

/** The stretch of an index that a query walks. */
export interface Range {
  /** One value for each of the index's `equals` columns, in that order. */
  readonly pins: readonly ColumnValue[];
  /** Exclusive bounds; undefined = open. */
  readonly lower: Position | undefined;
  readonly upper: Position | undefined;
  /** The conditions that the bounds don't cover. */
  readonly rest: readonly Condition[];
}

interface Query {
  readonly index: string;
  readonly equals: Equals;
  readonly where?: readonly Condition[] | undefined;
  readonly after?: Position | undefined;
  readonly order?: "asc" | "desc";
}

/**
 * Turns pins, `after` and conditions on the sort column into one stretch: two lower bounds in SQL would leave it to the
 * planner which of them it seeks by. Throws when `equals` does not name exactly the index's columns.
 */
export function rangeOf(collection: string, query: Query): Range {
  const spec = indexSpec(collection, query.index);
  const given = Object.keys(query.equals);
  if (given.length !== spec.equals.length || !spec.equals.every((column) => Object.hasOwn(query.equals, column))) {
    const wanted = spec.equals.join(", ") || "nothing";
    throw new Error(
      `[form-backend] index "${collection}.${query.index}" pins ${wanted}, got ${given.join(", ") || "nothing"}`,
    );
  }
  let lower: Position | undefined;
  let upper: Position | undefined;
  const rest: Condition[] = [];
  for (const condition of query.where ?? []) {
    if ("column" in condition && condition.column === spec.sort && condition.op !== "in") {
      // No id is empty, so the place before the first id of a sort value is that value with "".
      const place: Position = { sort: condition.value, id: "" };
      if (condition.op === "gte") lower = latest(lower, place);
      else upper = earliest(upper, place);
    } else {
      rest.push(condition);
    }
  }
  if (query.after && query.order === "desc") upper = earliest(upper, query.after);
  else if (query.after) lower = latest(lower, query.after);
  return { pins: spec.equals.map((column) => query.equals[column] ?? null), lower, upper, rest };
}

/** The stretches that a SQL store reads for one: itself, or one of each run that its index is merged of. */
export function runsOf(collection: string, index: string, range: Range): { index: string; range: Range }[] {
  const { merges } = indexSpec(collection, index);
  if (!merges) return [{ index, range }];
  return merges.values.map((value) => ({ index: merges.index, range: { ...range, pins: [...range.pins, value] } }));
}

const latest = (a: Position | undefined, b: Position): Position => (a && comparePositions(a, b) > 0 ? a : b);
const earliest = (a: Position | undefined, b: Position): Position => (a && comparePositions(a, b) < 0 ? a : b);
