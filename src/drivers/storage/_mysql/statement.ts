import type { SqlValue } from "../_sql/sql.ts";
import type { Write } from "../types.ts";
import type { MysqlTable } from "./table.ts";

/** Rows of one table. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  readonly table: MysqlTable;
  readonly writes: readonly Write[];
  /** The number that the server must report; null if each is fine. */
  readonly affected: number | null;
}

/** Adds the values of an INSERT to the counters' rows that are there. */
export const ADDING = "ON DUPLICATE KEY UPDATE n = n + VALUES(n), at = GREATEST(at, VALUES(at))";
