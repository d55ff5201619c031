import type { Position } from "./types.ts";

/** Index order: the sort value, then the id. */
export function comparePositions(a: Position, b: Position): number {
  if (a.sort !== b.sort) return a.sort < b.sort ? -1 : 1;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}
