import { comparePositions } from "../../../model/collections.ts";
import type { Ask, Connections } from "../_sql/pool.ts";
import type { Piece, SqlRow } from "../_sql/sql.ts";
import type { Claim, ClaimQuery, Position } from "../types.ts";
import { BEGIN, repeated } from "./commit.ts";
import { byIndex, dialect, type MysqlTable, NOW } from "./table.ts";

/** Entries of the work list that a claim reads before it goes from target to target instead. */
const FRONT = 256;
/** Rounds within the front, each of which leaves out the targets that have enough. */
const ROUNDS = 4;
/** Targets of one scan; servers end a recursion after 1,000 steps. The next claim goes on behind them. */
const TARGETS = 900;

const ORDER = "ORDER BY due_at, id LIMIT ?";

/** Claims jobs in one transaction: locks only what it takes, and passes over what another one is just taking. */
export function claimer(connections: Connections, jobs: MysqlTable): (query: ClaimQuery) => Promise<Claim> {
  const due = `FROM ${byIndex(jobs, "due")} WHERE lane = ?`;
  const ofTarget = `FROM ${byIndex(jobs, "due_target")} WHERE due_lane = ?`;
  // A loose index scan: one seek finds the next target, however many rows the one before it has.
  const targets = `
    WITH RECURSIVE seen AS (
      (SELECT target, 1 AS nth ${ofTarget} AND target > ? ORDER BY target LIMIT 1)
      UNION ALL
      SELECT (SELECT target ${ofTarget} AND target > ? AND target > seen.target ORDER BY target LIMIT 1), nth + 1
      FROM seen WHERE seen.target IS NOT NULL AND nth < ${TARGETS}
    ) SELECT target FROM seen WHERE target IS NOT NULL`;
  /** The target of each lane that the next scan begins behind, so that each has its turn, however many there are. */
  const behind = new Map<string, string>();

  /** Targets of the work list, from the place of the last claim on, and at the end of the list from its start. */
  async function someTargets(ask: Ask, lane: string): Promise<string[]> {
    const some: string[] = [];
    for (let from = behind.get(lane) ?? ""; ; from = "") {
      const found = (await ask(targets, [lane, from, lane, from])).map(({ target }) => String(target));
      some.push(...found);
      const isEnd = found.length < TARGETS;
      behind.set(lane, isEnd ? "" : (found.at(-1) ?? ""));
      if (!isEnd || from === "") return [...new Set(some)];
    }
  }

  async function take(ask: Ask, query: ClaimQuery, until: string): Promise<string[]> {
    const { lane, limit, perTarget } = query;
    const counts = new Map(query.exclude.map((target) => [target, perTarget]));
    const ids: string[] = [];
    const full = () => [...counts].flatMap(([target, n]) => (n >= perTarget ? [target] : []));
    const pick = (rows: readonly Record<string, unknown>[]): void => {
      for (const { id, target } of rows) {
        if (ids.length >= limit) return;
        if (target !== null) {
          const n = counts.get(String(target)) ?? 0;
          if (n >= perTarget) continue;
          counts.set(String(target), n + 1);
        }
        ids.push(String(id));
      }
    };
    const edgeSql = `SELECT due_at, id ${due} AND due_at <= ? ${ORDER} OFFSET ?`;
    const [edge] = await ask(edgeSql, [lane, until, 1, FRONT - 1]);
    let after: Position | undefined;
    for (let round = 0; round < ROUNDS && ids.length < limit; round++) {
      const without = dialect.oneOf("target", "text", full());
      const upper = edge
        ? dialect.beyond("due_at", "<=", { sort: String(edge.due_at), id: String(edge.id) })
        : undefined;
      const lower = after && dialect.beyond("due_at", ">", after);
      const bounds = [lower, upper].flatMap((piece) => piece ?? []);
      const where = [`due_at <= ?`, ...bounds.map(({ sql }) => sql), `(target IS NULL OR NOT ${without.sql})`];
      const wanted = limit - ids.length;
      const rows = await ask(
        `SELECT id, target, due_at ${due} AND ${where.join(" AND ")} ${ORDER} FOR UPDATE SKIP LOCKED`,
        [...[lane, until, ...bounds.flatMap(({ params }) => params), ...without.params, wanted]],
      );
      pick(rows);
      const last = rows.at(-1);
      // The end of the front; without an edge, of the whole list.
      if (!last || rows.length < wanted) break;
      after = { sort: String(last.due_at), id: String(last.id) };
    }
    if (!edge || ids.length >= limit) return ids;
    // The front belongs to targets that get nothing (more) this time.
    const parts = [null, ...(await someTargets(ask, lane))].flatMap((target): Piece[] => {
      const left = target === null ? limit : perTarget - (counts.get(target) ?? 0);
      if (left <= 0) return [];
      const sql = `(SELECT id, target, due_at ${ofTarget} AND ${target === null ? "target IS NULL" : "target = ?"} AND due_at <= ? ${ORDER})`;
      return [{ sql, params: [lane, ...(target === null ? [] : [target]), until, Math.min(left, limit) + ids.length] }];
    });
    const found: SqlRow[] = [];
    while (parts.length > 0) {
      const some = parts.splice(0, FRONT);
      const sql = some.map((part) => part.sql).join(" UNION ALL ");
      found.push(
        ...(await ask(
          sql,
          some.flatMap(({ params }) => params),
        )),
      );
    }
    const mine = new Set(ids);
    found.sort((a, b) => comparePositions(placeOf(a), placeOf(b)));
    pick(found.filter(({ id }) => !mine.has(String(id))));
    const wanted = ids.filter((id) => !mine.has(id));
    if (wanted.length === 0) return ids;
    // Another worker may be about to take them too, or has just done so.
    const these = dialect.oneOf("id", "text", wanted);
    const locked = await ask(
      `SELECT id FROM ${byIndex(jobs, "PRIMARY")} WHERE ${these.sql} AND due_at <= ? FOR UPDATE SKIP LOCKED`,
      [...these.params, until],
    );
    for (const { id } of locked) mine.add(String(id));
    return ids.filter((id) => mine.has(id));
  }

  return async (query) => {
    const first = `(SELECT due_at ${due} AND due_at > '' ${ORDER})`;
    // An idle worker asks every second: one statement without a lock says that there is nothing.
    const [found] = await connections.ask(`SELECT ${NOW} AS now, ${first} AS first`, [query.lane, 1], { again: true });
    const now = query.now ?? Number(found?.now);
    const until = new Date(now).toISOString();
    if (query.limit < 1 || !found?.first || String(found.first) > until) return { now, jobs: [] };
    const dueAt = new Date(now + query.leaseMs).toISOString();
    const rows = await repeated<SqlRow[]>(() =>
      connections.transaction<SqlRow[]>(BEGIN, async (ask): Promise<SqlRow[]> => {
        const ids = await take(ask, query, until);
        if (ids.length === 0) return [];
        const these = ids.map(() => "?").join(", ");
        const change = "due_at = ?, lost = COALESCE(lost, 0) + COALESCE(leased, 0), leased = 1, version = version + 1";
        await ask(`UPDATE ${byIndex(jobs, "PRIMARY")} SET ${change} WHERE id IN (${these})`, [dueAt, ...ids]);
        const taken = await ask(`SELECT * FROM ${jobs.name} WHERE id IN (${these})`, ids);
        const byId = new Map(taken.map((row) => [String(row.id), row]));
        return ids.flatMap((id): SqlRow[] => {
          const row = byId.get(id);
          return row ? [row] : [];
        });
      }),
    );
    return { now, jobs: rows.map((row) => jobs.decode(row)) };
  };
}

const placeOf = ({ due_at, id }: SqlRow): Position => ({ sort: String(due_at), id: String(id) });
