import type { Ask } from "../_sql/pool.ts";
import { groupColumn, type SqlRow } from "../_sql/sql.ts";
import type { Count, CountQuery } from "../types.ts";
import { sqlState, TIMEOUT } from "./errors.ts";
import { fieldGroup } from "./fields.ts";
import { atOnce, beginWindows, checkedRange, conditions, type Source, select, type Window } from "./select.ts";
import { walk } from "./windows.ts";

/** Implements `StorageDriver.count` window by window of one snapshot, so there is a result when time is up. */
export async function countPg(source: Source, query: CountQuery): Promise<Count> {
  const { connections, table } = source;
  const range = checkedRange(table.collection, query);
  const where = conditions(source, range);
  const { index, groupBy, inTurn = atOnce } = query;
  const group = groupBy ? groupOf(table.collection, groupBy) : undefined;
  const readsFields = range.rest.some((condition) => "field" in condition) || (groupBy && "field" in groupBy) === true;
  const groups = new Map<string | null, number>();
  let exact = true;
  if (where) {
    exact = false;
    const started = performance.now();
    const left = (): number => query.budgetMs - (performance.now() - started);
    try {
      await connections.scan(
        ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"],
        async (ask) => {
          await beginWindows(ask, left());
          for await (const window of walk({ ask, inTurn, table, index, order: "asc", readsFields, left }, range)) {
            for (const row of await counted(ask, window)) {
              const key = group ? group.key(row.k) : null;
              groups.set(key, (groups.get(key) ?? 0) + Number(row.n));
            }
            exact = window.last;
          }
        },
        query.budgetMs + 2_000,
      );
    } catch (error) {
      if (sqlState((error as Error).cause) !== TIMEOUT) throw error;
    }
  }
  const count = [...groups.values()].reduce((sum, n) => sum + n, 0);
  if (!groupBy) return { count, exact };
  return { count, exact, groups: Array.from(groups, ([key, n]) => ({ key, count: n })) };

  async function counted(ask: Ask, window: Window): Promise<SqlRow[]> {
    const what = { sql: group ? `${group.sql} AS k, count(*) AS n` : "count(*) AS n", params: group?.params ?? [] };
    const each = { sql: group ? "GROUP BY 1" : "", params: [] };
    const statement = select(table, index, window, { what, where: where!, each });
    return statement ? inTurn(() => ask(statement.sql, statement.params)) : [];
  }
}

function groupOf(
  collection: string,
  groupBy: NonNullable<CountQuery["groupBy"]>,
): { sql: string; params: string[]; key: (found: unknown) => string | null } {
  return "field" in groupBy ? fieldGroup(groupBy) : { ...groupColumn(collection, groupBy), params: [] };
}
