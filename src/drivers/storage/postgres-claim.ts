import type { Connections } from "./postgres-pool.ts";
import type { PgTable } from "./postgres-table.ts";
import type { Claim, ClaimQuery, Stored } from "./types.ts";

/** How far into the work list a claim looks before it goes from target to target instead. */
const WINDOW = 256;
/** Looks again so often where others are just taking everything that was found, each time at what stands behind it. */
const MAX_RACES = 5;

const isoSql = (ms: string): string =>
  `to_char(to_timestamp(${ms} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The statement that claims jobs from one table, in one round trip. */
export function claimer(connections: Connections, jobs: PgTable): (query: ClaimQuery) => Promise<Claim> {
  const sql = claimSql(jobs);
  return async ({ lane, now, leaseMs, limit, exclude, perTarget }) => {
    const params = [lane, now ?? null, leaseMs, Math.max(0, limit), JSON.stringify(exclude), perTarget];
    for (let races = 0; ; races++) {
      const rows = await connections.ask(sql, [...params, races * perTarget]);
      const { now: judgedBy, candidates } = rows[0]!;
      const found = rows.filter((row) => row.id !== null);
      if (found.length > 0 || Number(candidates) === 0 || limit < 1 || races === MAX_RACES) {
        return { now: Number(judgedBy), jobs: found.map((row): Stored => jobs.decode(row)) };
      }
    }
  };
}

/**
 * Candidates first, without a lock: from the front of the list, and only where that belongs to targets which get nothing more,
 * from target to target. Then as many of them as are wanted are locked, those that another process is just claiming left out.
 * The planner is left no choice of index anywhere: its statistics are of an hour when nothing was due.
 */
function claimSql(jobs: PgTable): string {
  const excluded = "ARRAY(SELECT json_array_elements_text($5::text::json))";
  const until = "(SELECT until FROM clock)";
  // `due_at > ''` opens the index of the list by time; without it, only the index from target to target can serve.
  const listed = `${jobs.name} WHERE lane = $1 AND due_at > '' AND due_at <= ${until}`;
  const due = `${jobs.name} WHERE lane = $1 AND due_at <= ${until}`;
  const target = `SELECT target FROM ${jobs.name} WHERE lane = $1 AND due_at IS NOT NULL AND target`;
  const blocked = `(SELECT count(*) FROM front) = ${WINDOW} AND (SELECT count(*) FROM picked) < $4::int`;
  return `
WITH RECURSIVE clock AS MATERIALIZED (
  SELECT c.now, ${isoSql("c.now")} AS until, ${isoSql("(c.now + $3::bigint)")} AS lease_ends
  FROM (SELECT coalesce($2::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now) c
), front AS MATERIALIZED (
  SELECT id, target, due_at FROM ${listed} ORDER BY due_at, id LIMIT ${WINDOW}
), picked AS MATERIALIZED (
  SELECT id, due_at FROM (
    SELECT id, target, due_at, row_number() OVER (PARTITION BY target ORDER BY due_at, id) AS nth
    FROM front WHERE target IS NULL OR target <> ALL(${excluded})
  ) f WHERE target IS NULL OR (nth > $7::int AND nth <= $7::int + $6::int)
), seen(target) AS (
  SELECT (${target} IS NOT NULL ORDER BY target LIMIT 1) WHERE ${blocked}
  UNION ALL
  SELECT (${target} > seen.target ORDER BY target LIMIT 1) FROM seen WHERE seen.target IS NOT NULL
), behind AS (
  SELECT j.id, j.due_at FROM seen CROSS JOIN LATERAL (
    SELECT id, due_at FROM ${due} AND target = seen.target ORDER BY due_at, id LIMIT $6::int OFFSET $7::int
  ) j WHERE seen.target IS NOT NULL AND seen.target <> ALL(${excluded})
  UNION ALL
  (SELECT id, due_at FROM ${due} AND target IS NULL AND ${blocked} ORDER BY due_at, id LIMIT $4::int)
), candidates AS MATERIALIZED (
  SELECT id, due_at FROM picked UNION SELECT id, due_at FROM behind
), locked AS (
  SELECT j.id, c.due_at AS was FROM (SELECT id, due_at FROM candidates ORDER BY due_at, id) c CROSS JOIN LATERAL (
    SELECT id FROM ${jobs.name} WHERE id = c.id AND coalesce(due_at, '~') <= ${until} FOR UPDATE SKIP LOCKED
  ) j LIMIT $4::int
), taken AS (
  UPDATE ${jobs.name} j SET due_at = (SELECT lease_ends FROM clock), lost = coalesce(j.lost, 0) + coalesce(j.leased, false)::int,
    leased = true, version = j.version + 1
  FROM locked l WHERE j.id = l.id
  RETURNING l.was, ${jobs.selected.replace(/(^|, )/g, "$1j.")}
)
SELECT clock.now, (SELECT count(*) FROM candidates) AS candidates, taken.* FROM clock LEFT JOIN taken ON true
ORDER BY taken.was, taken.id`;
}
