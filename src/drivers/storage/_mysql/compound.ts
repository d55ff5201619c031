import type { SqlValue } from "../_sql/sql.ts";
import { ADDING, type Statement } from "./statement.ts";

/** Together below every `max_allowed_packet` that `open()` accepts, even where each byte is escaped. */
const MAX_LENGTH = 512 * 1024;
const MAX_COUNTERS = 64;

/** Says within MariaDB that a transaction needs more than one round trip; nothing of it is kept then. */
export const NEEDS_MORE = "form-backend: more than one trip";

/**
 * A transaction as one statement of MariaDB, a compound one: seven round trips become one. Null where it can't be one: where a row
 * has an expected version, whose failure only later questions explain, and where it is large. MySQL has no such statement.
 */
export function compound(statements: readonly Statement[]): { sql: string; params: SqlValue[] } | null {
  const declared: string[] = [];
  const body: string[] = [];
  const params: SqlValue[] = [];
  let length = 0;
  for (const statement of statements) {
    if (!isPlain(statement)) return null;
    length += statement.sql.length;
    for (const param of statement.params) length += typeof param === "string" ? param.length : 8;
    if (length > MAX_LENGTH) return null;
    const { sql, table, writes } = statement;
    if (writes[0]?.op !== "add") {
      body.push(`${sql};`);
      params.push(...statement.params);
      continue;
    }
    if (declared.length + writes.length > MAX_COUNTERS) return null;
    const rows = writes.map((write) => {
      if (write.op !== "add") throw new Error("[form-backend] only counters are added to");
      const slot = `slot${declared.length}`;
      declared.push(slot);
      // The first row that no other transaction holds; a counter that has none gets its first.
      body.push(
        `SELECT slot INTO ${slot} FROM ${table.name} WHERE id = ? ORDER BY slot LIMIT 1 FOR UPDATE SKIP LOCKED;`,
        `IF ${slot} IS NULL THEN`,
        // Not `IF EXISTS (…)`, which would wait for the locks of the rows.
        `SELECT slot INTO ${slot} FROM ${table.name} WHERE id = ? LIMIT 1;`,
        `IF ${slot} IS NOT NULL THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '${NEEDS_MORE}'; END IF;`,
        `SET ${slot} = 0; END IF;`,
      );
      params.push(write.id, write.id);
      return { sql: `(?, ${slot}, ?, ?)`, params: [write.id, write.by, write.at] };
    });
    const tuples = rows.map((row) => row.sql).join(", ");
    body.push(`INSERT INTO ${table.name} (id, slot, n, at) VALUES ${tuples} ${ADDING};`);
    params.push(...rows.flatMap((row) => row.params));
  }
  const sql = [
    "BEGIN NOT ATOMIC",
    ...declared.map((slot) => `DECLARE ${slot} INT DEFAULT NULL;`),
    "DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;",
    "DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;",
    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;",
    "START TRANSACTION;",
    ...body,
    "COMMIT;",
    "END",
  ].join("\n");
  return { sql, params };
}

/** True for rows that are new, written over or added to, whatever is there. */
const isPlain = ({ writes, affected }: Statement): boolean =>
  writes.every((write) => write.op === "add" || (write.op === "put" && (write.expect ?? null) === null)) &&
  (affected === null || affected === writes.length);
