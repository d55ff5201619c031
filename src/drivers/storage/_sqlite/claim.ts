import { indexName, type Piece, type SqlRow, type SqlValue, type Table } from "../_sql/sql.ts";
import type { Claim, ClaimQuery, Stored } from "../types.ts";
import type { Connection } from "./connection.ts";

/** Rows of the work list that a claim reads before it goes from target to target instead. */
const WINDOW = 256;

interface Candidate {
  readonly id: string;
  readonly target: string | null;
}

/** The statements that claim jobs from one table, for engines that run them in this process or elsewhere. */
export interface ClaimStatements {
  /** Returns a row if there is something to claim. */
  anything(query: ClaimQuery, until: string): Piece;
  /** Asks for rows, and returns the ids to take in order. */
  choose(query: ClaimQuery, until: string): Generator<Piece, readonly string[], readonly SqlRow[]>;
  /** Takes those of the ids that are still due, and returns their rows. */
  take(ids: readonly string[], until: string, leasedUntil: string): Piece;
}

export function claimStatements(prefix: string, jobs: Table): ClaimStatements {
  const due = `FROM ${jobs.name} INDEXED BY ${indexName(prefix, "jobs", "due")} WHERE lane = ? AND due_at <= ?`;
  const excluded = "(SELECT value FROM json_each(?))";
  // The rows that are left out anyway would cost most of the time on their way to JavaScript.
  const first = `
    WITH front AS MATERIALIZED (SELECT id, target ${due} ORDER BY due_at, id LIMIT ${WINDOW})
    SELECT id, target, (SELECT count(*) FROM front) AS looked FROM front WHERE target IS NULL OR target NOT IN ${excluded}`;
  const targets = `FROM ${jobs.name} INDEXED BY ${indexName(prefix, "jobs", "due_target")} WHERE lane = ? AND due_at IS NOT NULL`;
  // A loose index scan: one seek finds the next target, however many rows the one before it has.
  const perTarget = `
    WITH RECURSIVE seen(target) AS (
      SELECT min(target) ${targets}
      UNION ALL SELECT (SELECT min(target) ${targets} AND target > seen.target) FROM seen WHERE seen.target IS NOT NULL
    )
    SELECT j.id, j.target, j.due_at FROM seen JOIN ${jobs.name} j ON j.rowid IN (
      SELECT rowid ${targets} AND target = seen.target AND due_at <= ? ORDER BY due_at, id LIMIT ?
    )
    WHERE seen.target IS NOT NULL AND seen.target NOT IN ${excluded}
    UNION ALL
    SELECT * FROM (SELECT id, target, due_at ${targets} AND target IS NULL AND due_at <= ? ORDER BY due_at, id LIMIT ?)
    ORDER BY 3, 1`;
  const take = `
    UPDATE ${jobs.name} SET due_at = ?, lost = coalesce(lost, 0) + coalesce(leased, 0), leased = 1, version = version + 1
    WHERE id IN (SELECT value FROM json_each(?)) AND due_at <= ? RETURNING *`;

  return {
    anything: ({ lane }, until) => ({ sql: `SELECT 1 ${due} LIMIT 1`, params: [lane, until] }),
    *choose(query, until) {
      const { lane, perTarget: cap, exclude, limit } = query;
      const without = JSON.stringify(exclude);
      const window = yield { sql: first, params: [lane, until, without] };
      const picked = pick(query, window.map(candidate));
      if (picked.length >= limit || (window[0] && Number(window[0].looked) < WINDOW)) return picked.map(({ id }) => id);
      // The front of the list belongs to targets that get nothing (more) this time.
      const params: SqlValue[] = [lane, lane, lane, until, cap, without, lane, until, limit];
      return pick(query, (yield { sql: perTarget, params }).map(candidate)).map(({ id }) => id);
    },
    take: (ids, until, leasedUntil) => ({ sql: take, params: [leasedUntil, JSON.stringify(ids), until] }),
  };
}

/** Claims jobs over a handle of this process. */
export function claimer(connection: Connection, prefix: string, jobs: Table): (query: ClaimQuery) => Claim {
  const statements = claimStatements(prefix, jobs);
  const all = ({ sql, params }: Piece): SqlRow[] => connection.all(sql, params);
  return (query) => {
    const now = query.now ?? Date.now();
    const until = new Date(now).toISOString();
    // An idle worker asks every second; it need not wait for the write lock to hear that there is nothing.
    if (query.limit < 1 || all(statements.anything(query, until)).length === 0) return { now, jobs: [] };
    // After a power loss that undoes a claim, nobody works on it any more.
    return connection.withoutFsync(() => {
      const choosing = statements.choose(query, until);
      let step = choosing.next([]);
      while (!step.done) step = choosing.next(all(step.value));
      const ids = step.value;
      if (ids.length === 0) return { now, jobs: [] };
      const taken = all(statements.take(ids, until, new Date(now + query.leaseMs).toISOString()));
      return { now, jobs: inOrder(ids, taken.map(jobs.decode)) };
    });
  };
}

/** Rows in the order of ids. */
export function inOrder(ids: readonly string[], rows: readonly Stored[]): Stored[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const candidate = (row: SqlRow): Candidate => ({
  id: row.id as string,
  target: row.target as string | null,
});

/** Candidates in order, without those beyond the limits. Jobs without a target are subject to `limit` only. */
function pick(query: ClaimQuery, rows: readonly Candidate[]): Candidate[] {
  const taken = new Map<string, number>(query.exclude.map((target) => [target, query.perTarget]));
  const picked: Candidate[] = [];
  for (const row of rows) {
    if (picked.length >= query.limit) break;
    if (row.target !== null) {
      const count = taken.get(row.target) ?? 0;
      if (count >= query.perTarget) continue;
      taken.set(row.target, count + 1);
    }
    picked.push(row);
  }
  return picked;
}
