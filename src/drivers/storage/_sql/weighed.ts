import type { Piece } from "./sql.ts";

/** A table as the statement below needs it. */
interface Weighed {
  readonly name: string;
  /** The columns of whole rows. */
  readonly columns: readonly string[];
  /** A join that keeps the order of its sides. */
  readonly join: "STRAIGHT_JOIN" | "CROSS JOIN";
}

/** Whole rows of places, up to the one that reaches a weight in bytes. The server cuts them, so nothing beyond it is sent. */
export function weighed(
  { name, columns, join }: Weighed,
  places: Piece,
  by: string,
  order: "asc" | "desc",
  weight: number,
): Piece {
  const sum = `SUM(bytes) OVER (ORDER BY ${by} ${order}, id ${order} ROWS UNBOUNDED PRECEDING) - bytes AS so_far`;
  const on = join === "CROSS JOIN" ? "" : " ON t.id = w.id";
  const where = join === "CROSS JOIN" ? "t.id = w.id AND w.so_far < ?" : "w.so_far < ?";
  return {
    sql: `SELECT ${columns.map((column) => `t.${column}`).join(", ")} FROM (SELECT ${by}, id, ${sum} FROM (${places.sql}) AS places) AS w ${join} ${name} AS t${on} WHERE ${where} ORDER BY w.${by} ${order}, w.id ${order}`,
    params: [...places.params, Math.min(weight, Number.MAX_SAFE_INTEGER)],
  };
}
